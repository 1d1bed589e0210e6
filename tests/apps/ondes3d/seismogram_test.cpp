// Seismograms that ondes3d writes, read back from the definitions of SAC and of the text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "image_file.hpp"
#include "output/sac.hpp"
#include "output/seismogram_text.hpp"
#include "output_fixture.hpp"

namespace ondes3d {
namespace {

template <typename Value>
Value word(const std::string& file, std::size_t byte) {
  Value value{};
  std::memcpy(&value, file.data() + byte, sizeof value);
  return value;
}

// Byte offsets of the header as the SAC manual tabulates them (word number times four).
TEST_F(Output, SacHeaderIsWhereTheManualPutsIt) {
  const Case c = small_case();
  write_sac(path("L"), c, c.stations[0], kTrace, {});
  const std::string z = bytes_of(path("L.HXZ.sac"));
  ASSERT_EQ(z.size(), 632 + 3 * sizeof(float));
  EXPECT_EQ(word<float>(z, 0), 0.01F) << "DELTA";
  EXPECT_EQ(word<float>(z, 4), -4e-3F) << "DEPMIN";
  EXPECT_EQ(word<float>(z, 8), 1e-3F) << "DEPMAX";
  EXPECT_EQ(word<float>(z, 12), 1e9F) << "SCALE";
  EXPECT_EQ(word<float>(z, 20), 0.01F) << "B: the first sample follows one step";
  EXPECT_EQ(word<float>(z, 24), 0.03F) << "E";
  EXPECT_EQ(word<float>(z, 28), 0) << "O";
  EXPECT_EQ(word<float>(z, 124), -12345) << "STLA";
  EXPECT_EQ(word<float>(z, 132), 0) << "STEL";
  EXPECT_EQ(word<float>(z, 140), -12345) << "EVLA";
  EXPECT_EQ(word<float>(z, 152), 0.7F) << "EVDP, km";
  EXPECT_EQ(word<float>(z, 160), 400) << "USER0";
  EXPECT_EQ(word<float>(z, 176), -200) << "USER4";
  EXPECT_EQ(word<float>(z, 200), 0.5F) << "DIST, km";
  EXPECT_NEAR(word<float>(z, 204), 36.8699, 1e-3) << "AZ: three East, four North";
  EXPECT_NEAR(word<float>(z, 208), 216.8699, 1e-3) << "BAZ";
  EXPECT_NEAR(word<float>(z, 224), -1e-3, 1e-9) << "DEPMEN";
  EXPECT_EQ(word<float>(z, 228), 0) << "CMPAZ";
  EXPECT_EQ(word<float>(z, 232), 0) << "CMPINC";
  EXPECT_EQ(word<std::int32_t>(z, 304), 6) << "NVHDR";
  EXPECT_EQ(word<std::int32_t>(z, 316), 3) << "NPTS";
  EXPECT_EQ(word<std::int32_t>(z, 340), 1) << "IFTYPE: ITIME";
  EXPECT_EQ(word<std::int32_t>(z, 344), 7) << "IDEP: IVEL";
  EXPECT_EQ(word<std::int32_t>(z, 348), 11) << "IZTYPE: IO";
  EXPECT_EQ(word<std::int32_t>(z, 368), 40) << "IEVTYP: IQUAKE";
  EXPECT_EQ(word<std::int32_t>(z, 372), -12345) << "IQUAL";
  EXPECT_EQ(word<std::int32_t>(z, 420), 1) << "LEVEN";
  EXPECT_EQ(word<std::int32_t>(z, 432), 0) << "LCALDA";
  EXPECT_EQ(z.substr(440, 8), "Lighthou") << "KSTNM";
  EXPECT_EQ(z.substr(448, 16), "-12345          ") << "KEVNM";
  EXPECT_EQ(z.substr(600, 8), "HXZ     ") << "KCMPNM";
  EXPECT_EQ(z.substr(608, 8), "SY      ") << "KNETWK";
  EXPECT_EQ(word<float>(z, 632), -4e-3F) << "the first sample";
  EXPECT_EQ(word<float>(z, 640), 0);
}

TEST_F(Output, SacKnowsItsComponentsArrivalsAndPlace) {
  const Case c = small_case();
  write_sac(path("L"), c, c.stations[0], kTrace, GeographicOrigin{{60, 10}});
  const std::string east = bytes_of(path("L.HXE.sac"));
  const std::string north = bytes_of(path("L.HXN.sac"));
  EXPECT_EQ(word<float>(east, 228), 90) << "CMPAZ";
  EXPECT_EQ(word<float>(east, 232), 90) << "CMPINC";
  EXPECT_EQ(word<float>(north, 228), 0);
  EXPECT_EQ(word<float>(north, 232), 90);
  EXPECT_EQ(word<float>(north, 632), 2e-3F);
  // T0: 500 m apart along the ground and 700 m deep, at most as slow as the upper layer, at least as fast as the lower.
  const double way = std::hypot(500, 700);
  EXPECT_GT(word<float>(east, 40), way / 6000);
  EXPECT_LT(word<float>(east, 40), way / 3000);
  EXPECT_GT(word<float>(east, 44), word<float>(east, 40)) << "S after P";
  EXPECT_EQ(east.substr(488, 16), "P       S       ") << "KT0 KT1";
  EXPECT_NEAR(word<float>(east, 124), 60 + 200 / 111195.0, 1e-5) << "STLA";
  EXPECT_NEAR(word<float>(east, 128), 10 + 400 / (111195.0 / 2), 1e-5) << "STLO: half as long at 60 degrees";
  EXPECT_NEAR(word<float>(east, 140), 60 - 200 / 111195.0, 1e-5) << "EVLA";
  EXPECT_EQ(channel_name(0.028, 2), "BXZ");
  EXPECT_EQ(channel_name(0.004, 0), "CXE");
  EXPECT_EQ(channel_name(0.0005, 1), "FXN");
}

// Out of line: g++ 12 at -O3 forgets the rounding of two values that it converts to float and back as one vector.
[[gnu::noinline]] double as_float(double value) { return static_cast<double>(static_cast<float>(value)); }

TEST(Traces, OfSinglePrecisionAreWholeInNineDigits) {
  const Model model = model_of({12, 12, 10}, 100, 0.005, 4);
  const auto traces = listen<float>(model, {pulse_source({10, -30, -420}, 0.05, 1e12, 0.001)}, {{130, 70, 0}}, 30);
  double most = 0;
  for (const auto& row : traces[0]) {
    for (const double value : row) {
      EXPECT_EQ(value, as_float(value));
      most = std::max(most, std::abs(value));
    }
  }
  EXPECT_GT(most, 0);
}

TEST_F(Output, TextGivesEveryBitBack) {
  const Case c = small_case();
  Trace trace;
  for (int n = 1; n <= 50; ++n) {
    trace.push_back({std::exp(-0.7 * n), -std::cos(1.0 * n) / 3, 1e-30 / n});
  }
  write_seismogram(path("double.txt"), c.stations[0], c, trace, 17);
  Trace rounded = trace;
  for (auto& row : rounded) {
    std::transform(row.begin(), row.end(), row.begin(), as_float);
  }
  write_seismogram(path("single.txt"), c.stations[0], c, rounded, 9);
  const auto read = [&](const std::string& name) {
    std::istringstream in(bytes_of(path(name)));
    Trace back;
    for (std::string line; std::getline(in, line);) {
      if (line[0] != '#') {
        double time = 0;
        auto& row = back.emplace_back();
        std::istringstream(line) >> time >> row[0] >> row[1] >> row[2];
      }
    }
    return back;
  };
  EXPECT_EQ(read("double.txt"), trace);
  Trace single = read("single.txt");
  for (auto& row : single) {
    std::transform(row.begin(), row.end(), row.begin(), as_float);
  }
  EXPECT_EQ(single, rounded);
}

}  // namespace
}  // namespace ondes3d
