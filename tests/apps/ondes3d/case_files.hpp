// A small case in a folder of its own, whose files a test may spoil.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "input/case.hpp"

namespace ondes3d {

inline constexpr const char* kParameters = R"(::: free text :::
<dt> 0.007 </dt> s
<ds> 100. </ds> <tmax> 12 </tmax>
<xMin> -5 </xMin> <xMax> 5 </xMax>
<yMin> -6 </yMin> <yMax> 5 </yMax>
<zMin> -8 </zMin> <zMax> 1 </zMax>
<fd0> 1. </fd0>
<dir> ./out </dir>
<fstatMap> ./elsewhere/station.map </fstatMap>
<fsrcMap> source.map </fsrcMap>
<fsrcHist> source.hist </fsrcHist>
<nlayer> 2 </nlayer>
<layer1>
  = text =
  <rho> 2700. </rho> <vp> 6000. </vp> <vs> 3460. </vs> <depth> 0. </depth>
</layer1>
<layer2> <rho> 2800 </rho> <vp> 6200 </vp> <vs> 3500 </vs>
<depth> -3 </depth></layer2>
)";

class CaseFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("ondes3d-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    write("case.prm", kParameters);
    write("station.map", "2\n 1 -200.0 -00\n\t2 100.5 30 -250.0 Deep\n");
    write("source.map", "2\n0 0 -300\n1 0 0 -300\n2 +1e2 0.0 -4e+02\n");
    write("source.hist",
          "M0 = 1e15\nMw = 4\n 1.0 0.01\n3\n1 187 54 70\n1e15 2e15 0\n2 60. -30. -90.\n0\n 3.5E+14\n0\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  // The parameters with one piece of text changed.
  void change(const std::string& piece, const std::string& to) const {
    std::string text = kParameters;
    const auto at = text.find(piece);
    ASSERT_NE(at, std::string::npos) << piece;
    write("case.prm", text.replace(at, piece.size(), to));
  }
  [[nodiscard]] Case read() const { return read_case((folder_ / "case.prm").string(), {}); }
  // What reading complains of, in one line.
  [[nodiscard]] std::string complaint() const {
    try {
      (void)read();
    } catch (const std::exception& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      return error.what();
    }
    return "nothing";
  }

  std::filesystem::path folder_;
};

struct Wrong {
  const char* piece;  // of the parameters
  const char* change;
  const char* line;
  const char* found;
  const char* expected;
};

struct WrongFile {
  const char* file;
  const char* text;
  const char* said;  // after the folder
};

}  // namespace ondes3d
