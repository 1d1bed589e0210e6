// A folder of its own for each test of what ondes3d writes, and a small case to write of.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "alone.hpp"
#include "input/case.hpp"
#include "physics/recorder.hpp"

namespace ondes3d {

class Output : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "/ondes3d-" + std::to_string(getpid()) + "-" + info->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

inline Case small_case() {
  Case c;
  c.model = model_of({20, 16, 12}, 100, 0.01, 4, {{0, 2400, 3000, 1700}, {-500, 2700, 6000, 3460}});
  c.model.grid.steps = 3;
  c.hypocentre = {100, -200, -700};
  c.planes = {12, 10, c.model.grid.cells[2] - 3};
  Station station{{400, 200, 0}, {}};
  std::strcpy(station.name.data(), "Lighthouse");
  c.stations.push_back(station);
  return c;
}

inline const Trace kTrace{{{1e-3, 2e-3, -4e-3}}, {{5e-3, 0, 1e-3}}, {{-1e-3, 1e-3, 0}}};

}  // namespace ondes3d
