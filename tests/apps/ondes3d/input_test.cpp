// The Ondes3D formats: what they say, and what is said when they are wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "input/case.hpp"
#include "input/fields.hpp"
#include "input/input_error.hpp"
#include "input/number.hpp"

namespace ondes3d {
namespace {

using testing::HasSubstr;

constexpr const char* kParameters = R"(::: free text :::
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

TEST_F(CaseFiles, AreRead) {
  const Case c = read();
  EXPECT_EQ(c.model.grid.cells, (Index3{31, 32, 20}));
  EXPECT_EQ(c.model.grid.steps, 12);
  EXPECT_DOUBLE_EQ(c.model.grid.corner[0], -1500);
  EXPECT_DOUBLE_EQ(c.model.grid.corner[2], -1900);
  ASSERT_EQ(c.model.layers.size(), 2U);
  EXPECT_DOUBLE_EQ(c.model.layers[1].roof, -3000);
  ASSERT_EQ(c.stations.size(), 2U);
  EXPECT_EQ(c.stations[0].position, (Vec3{-200, 0, 0}));
  EXPECT_STREQ(c.stations[0].name.data(), "station1");
  EXPECT_STREQ(c.stations[1].name.data(), "Deep");
  ASSERT_EQ(c.sources.size(), 2U);
  EXPECT_EQ(c.sources[1].point.position, (Vec3{100, 0, -400}));
  EXPECT_EQ(c.sources[1].point.rake, -90);
  EXPECT_EQ(c.sources[1].rate, (std::vector<float>{3.5e14F})) << "without the zeros around";
  EXPECT_EQ(c.sources[1].first, 1);
  EXPECT_EQ(c.directory, "./out");
}

TEST_F(CaseFiles, MayGiveRoofsAsDepths) {
  change("<depth> -3", "<depth> 3");
  EXPECT_DOUBLE_EQ(read().model.layers[1].roof, -3000);
}

TEST_F(CaseFiles, LeaveOutWhatLiesOutsideTheGrid) {
  write("station.map", "1\n1 900 0 0 Far\n");
  write("source.map", "2\n0 0 -300\n1 0 0 -300\n2 0 0 -4000\n");
  const Case c = read();
  EXPECT_TRUE(c.stations.empty());
  EXPECT_EQ(c.sources.size(), 1U);
  ASSERT_EQ(c.warnings.size(), 3U) << "the third is of dispersion";
  EXPECT_THAT(c.warnings[0], HasSubstr("source at (0, 0, -4000) m"));
  EXPECT_THAT(c.warnings[1], HasSubstr("station Far at (900, 0, 0) m"));
}

TEST_F(CaseFiles, RefuseAnUnstableStep) {
  change("0.007", "0.02");
  EXPECT_THAT(complaint(),
              HasSubstr("unstable: dt = 0.02 s, the Courant limit of ds = 100 m and vp = 6200 m/s is 0.0"));
}

TEST_F(CaseFiles, WarnOfDispersion) {
  std::string history = "M0\nMw\n1 0.01\n20\n";
  for (const char* head : {"1 0 90 0", "2 0 90 0"}) {
    history += std::string(head) + "\n0 1e15 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
  }
  write("source.hist", history);
  const Case c = read();
  ASSERT_EQ(c.warnings.size(), 1U);
  EXPECT_THAT(c.warnings[0], HasSubstr("dispersion: the source reaches 50 Hz"));
}

struct Wrong {
  const char* piece;  // of the parameters
  const char* change;
  const char* line;
  const char* found;
  const char* expected;
};

class WrongField : public CaseFiles, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongField, IsNamedWithItsLine) {
  change(GetParam().piece, GetParam().change);
  const std::string said = complaint();
  EXPECT_THAT(said, HasSubstr(std::string("case.prm:") + GetParam().line + ": found "));
  EXPECT_THAT(said, HasSubstr(GetParam().found));
  EXPECT_THAT(said, HasSubstr(std::string("; expected ") + GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    Parameters, WrongField,
    testing::Values(
        Wrong{"<dt> 0.007 </dt>", "", "19", "the end of the file", "<dt> with the time step in s"},
        Wrong{"0.007", "fast", "2", "\"fast\"", "<dt> with the time step in s, a number"},
        Wrong{"0.007", "-1", "2", "-1", "<dt> with the time step in s, above 0"},
        Wrong{"0.007", "1e999", "2", "\"1e999\"", "<dt> with"}, Wrong{"0.007", "", "2", "nothing", "<dt> with"},
        Wrong{"100. ", "0", "3", "0", "<ds> with the size of a cell in m, above 0"},
        Wrong{"12", "12.5", "3", "\"12.5\"", "<tmax> with the number of time steps, a whole number"},
        Wrong{"12", "0", "3", "0", "<tmax> with the number of time steps, at least 1"},
        Wrong{"<xMax> 5", "<xMax> -4", "4", "-4", "<xMax> with the last cell, at least 3 above xMin"},
        Wrong{"<yMin> -6 </yMin>", "", "19", "the end of the file", "<yMin> with the first cell"},
        Wrong{"<zMax> 1", "<zMax> top", "6", "\"top\"", "<zMax> with the last cell, a whole number"},
        Wrong{"<fd0> 1.", "<fd0> 0", "7", "0", "<fd0> with the frequency of the CPML in Hz, above 0"},
        Wrong{"./elsewhere/station.map", "none.map", "9", "no file none.map", "<fstatMap> with the station map"},
        Wrong{"<fsrcMap> source.map </fsrcMap>", "", "19", "the end of the file", "<fsrcMap> with the source map"},
        Wrong{"<fsrcHist> source.hist", "<fsrcHist> gone", "11", "no file gone", "<fsrcHist> with the source history"},
        Wrong{"<nlayer> 2", "<nlayer> 0", "12", "0", "<nlayer> with the number of layers, at least 1"},
        Wrong{"<nlayer> 2", "<nlayer> 3", "19", "the end of the file", "<layer3><depth> with the roof"},
        Wrong{"<rho> 2700. </rho>", "<rho> 0 </rho>", "15", "0", "<layer1><rho> with the density in kg/m3, above 0"},
        Wrong{"6000.", "six", "15", "\"six\"", "<layer1><vp> with the speed of P waves"},
        Wrong{"3460.", "5900", "15", "5900", "<layer1><vs> with the speed of S waves in m/s, from 0 to 0.866 vp"},
        Wrong{"<depth> 0. </depth>", "", "19", "the end of the file", "<layer1><depth> with the roof of the layer"},
        Wrong{"<depth> -3", "<depth> 0", "18", "0", "<layer2><depth> with a roof below the one of the layer before"},
        Wrong{"</dt>", "", "2", "<dt> without an end", "</dt>"},
        Wrong{"<fd0>", "</odd> <fd0>", "7", "a closing tag that nothing opened", "an opening tag"}));

struct WrongFile {
  const char* file;
  const char* text;
  const char* said;  // after the folder
};

class WrongMap : public CaseFiles, public testing::WithParamInterface<WrongFile> {};

TEST_P(WrongMap, IsNamedWithItsLine) {
  write(GetParam().file, GetParam().text);
  EXPECT_THAT(complaint(), HasSubstr(GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(
    Maps, WrongMap,
    testing::Values(
        WrongFile{"station.map", "", "station.map:0: found the end of the file; expected the number of stations"},
        WrongFile{"station.map", "many\n", "station.map:1: found \"many\"; expected the number of stations"},
        WrongFile{"station.map", "2\n1 0 0\n", "station.map:2: found the end of the file after 1 stations; expected 2"},
        WrongFile{"station.map", "1\n\n1 0 here\n", "station.map:3: found \"1 0 here\"; expected a station: index x y"},
        WrongFile{"station.map", "1\n1 0 0 0 a/b\n", "station.map:2: found \"a/b\"; expected a name"},
        WrongFile{"source.map", "", "source.map:1: found end of file; expected the number of sub-sources"},
        WrongFile{"source.map", "0\n", "source.map:1: found 0; expected the number of sub-sources, at least 1"},
        WrongFile{"source.map", "2\n0 0\nz\n", "source.map:3: found \"z\"; expected a coordinate of the hypocentre"},
        WrongFile{"source.map", "2\n0 0 0\n1 0 0 0\n", "found end of file; expected the index of sub-source 2 of 2"},
        WrongFile{"source.map", "1\n0 0 0\n1 0 0 deep\n", "source.map:3: found \"deep\"; expected a coordinate in m"},
        WrongFile{"source.hist", "", "source.hist:1: found end of file; expected the line of M0"},
        WrongFile{"source.hist", "M0\nMw\n1 0\n", "found 0.000000; expected the interval of the history in s, above 0"},
        WrongFile{"source.hist", "M0\nMw\n1 0.1\nx\n", "source.hist:4: found \"x\"; expected the number of samples"},
        WrongFile{"source.hist", "M0\nMw\n1 0.1\n2\n1 1 1 steep\n", "hist:5: found \"steep\"; expected the rake"},
        WrongFile{"source.hist", "M0\nMw\n1 0.1\n2\n1 1 1 1\n0\nnan\n",
                  "source.hist:7: found \"nan\"; expected a moment rate in N m/s of sub-source 1 of 2"}));

constexpr const char* kVoxelParameters = R"(<dt> 0.007 </dt> <ds> 100. </ds> <tmax> 12 </tmax>
<xMin> 1 </xMin> <xMax> 8 </xMax>
<yMin> 1 </yMin> <yMax> 7 </yMax>
<zMin> 1 </zMin> <zMax> 8 </zMax>
<fstatMap> station.map </fstatMap> <fsrcMap> source.map </fsrcMap> <fsrcHist> source.hist </fsrcHist>
<fgeo> voxels.prm </fgeo>
<x0> 1000. </x0> <y0> -2000. </y0> <z0> -500. </z0>
<nlayer> 3 </nlayer>
<layer1> <name> out </name> <rho> 1730. </rho> <vp> 0.0 </vp> <vs> 0.0 </vs> </layer1>
<layer2> <name> sea </name> <rho> 1030. </rho> <vp> 1530. </vp> <vs> 0.0 </vs> </layer2>
<layer3> <name> Rock </name> <rho> 2700. </rho> <vp> 6000. </vp> <vs> 3460. </vs> </layer3>
)";
constexpr const char* kVoxelHeader =
    " nx 8\n ny 7\n nz 8\n x0 1000.0\n y0 -2000.\n z0 -500.\n dx 100.\n dy 100.\n dz 100.\n nodata_value out\n";

class VoxelFiles : public CaseFiles {
 protected:
  void SetUp() override {
    CaseFiles::SetUp();
    write("case.prm", kVoxelParameters);
    write("voxels.prm", kVoxelHeader + cells());
    write("station.map", "3\n1 1100 -1900\n2 1500 -1800\n3 1200 -1700 -150\n");
    write("source.map", "2\n1300 -1700 -300\n1 1300 -1700 -300\n2 1400 -1700 -400\n");
  }
  // Rock up to z = 0 in the west, to z = 100 in the east; above it two and one levels of nothing. A row is a line.
  static std::string cells() {
    std::string text;
    for (int k = 0; k < 8; ++k) {
      for (int j = 0; j < 7; ++j) {
        for (int i = 0; i < 8; ++i) {
          text += k > 6 || (k == 6 && i < 4) ? "out " : k == 5 && j == 6 ? "sea " : "Rock ";
        }
        text += "\n";
      }
    }
    return text;
  }
};

TEST_F(VoxelFiles, AreReadAndCutAtTheHighestRock) {
  const Case c = read();
  EXPECT_EQ(c.model.grid.cells, (Index3{28, 27, 17})) << "7 levels with rock and 10 of CPML";
  EXPECT_DOUBLE_EQ(c.model.grid.corner[0], 0) << "cell 1 lies at x0";
  EXPECT_DOUBLE_EQ(c.model.grid.corner[2], -1500);
  ASSERT_TRUE(c.model.geology);
  const auto& rock = *c.model.geology;
  EXPECT_EQ(rock.at({10, 10, 16}).rho, 0) << "air beside the hill";
  EXPECT_EQ(rock.at({10, 10, 15}).rho, 2700);
  EXPECT_EQ(rock.at({14, 10, 16}).rho, 2700);
  EXPECT_EQ(rock.at({10, 16, 15}).mu, 0) << "the sea";
  EXPECT_EQ(rock.at({0, 26, 3}).rho, 2700) << "the absorbing layer";
  EXPECT_EQ(speeds(c.model).fastest, 6000);
  EXPECT_EQ(speeds(c.model).slowest, 1530);
  ASSERT_EQ(c.stations.size(), 3U);
  EXPECT_DOUBLE_EQ(c.stations[0].position[2], 0) << "on the ground of its column";
  EXPECT_DOUBLE_EQ(c.stations[1].position[2], 100);
  EXPECT_DOUBLE_EQ(c.stations[2].position[2], -150);
  ASSERT_EQ(c.model.layers.size(), 1U);
  EXPECT_NEAR(c.model.layers[0].vs, 3460, 1e-9);
}

TEST_F(VoxelFiles, MayBeCompressed) {
  if (std::system(("gzip " + (folder_ / "voxels.prm").string()).c_str()) != 0) {
    GTEST_SKIP() << "no gzip";
  }
  try {
    EXPECT_EQ(read().model.grid.cells[2], 17);
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("as gunzip leaves it")) << "a build without zlib says so";
  }
}

TEST_F(VoxelFiles, RefuseAnUnstableStepOfTheirFastestRock) {
  std::string text = kVoxelParameters;
  write("case.prm", text.replace(text.find("0.007"), 5, "0.009"));
  EXPECT_THAT(complaint(), HasSubstr("unstable: dt = 0.009 s, the Courant limit of ds = 100 m and vp = 6000 m/s"));
}

class WrongVoxelField : public VoxelFiles, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongVoxelField, IsNamedWithItsLine) {
  std::string text = kVoxelParameters;
  const auto at = text.find(GetParam().piece);
  ASSERT_NE(at, std::string::npos);
  write("case.prm", text.replace(at, std::string(GetParam().piece).size(), GetParam().change));
  const std::string said = complaint();
  EXPECT_THAT(said, HasSubstr(std::string("case.prm:") + GetParam().line + ": found "));
  EXPECT_THAT(said, HasSubstr(GetParam().found));
  EXPECT_THAT(said, HasSubstr(std::string("; expected ") + GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    Parameters, WrongVoxelField,
    testing::Values(
        Wrong{"voxels.prm", "gone.prm", "6", "no file gone.prm", "<fgeo> with the voxel geology"},
        Wrong{"<y0> -2000. </y0>", "", "12", "the end of the file", "<y0> with the coordinate of cell 1 in m"},
        Wrong{"-500.", "deep", "7", "\"deep\"", "<z0> with the coordinate of cell 1 in m, a number"},
        Wrong{"<zMin> 1 ", "<zMin> 6 ", "4", "8", "<zMax> with the last cell, at least 3 above zMin"},
        Wrong{"<zMin> 1 </zMin> <zMax> 8", "<zMin> 5 </zMin> <zMax> 9", "4", "less than 4 levels of rock",
              "<zMin> with a domain below the ground"},
        Wrong{"<nlayer> 3", "<nlayer> 256", "8", "256", "<nlayer> with at most 255 media"},
        Wrong{"<name> sea </name>", "", "12", "the end of the file", "<layer2><name> with the name of the medium"},
        Wrong{"<name> Rock", "<name> sea", "11", "sea a second time", "<layer3><name> with a name of its own"},
        Wrong{"1530.", "-3", "10", "-3", "<layer2><vp> with the speed of P waves in m/s, above 0"},
        Wrong{"3460.", "5800", "11", "5800", "<layer3><vs> with the speed of S waves in m/s, from 0 to 0.866 vp"}));

class WrongVoxels : public VoxelFiles, public testing::WithParamInterface<WrongFile> {};

TEST_P(WrongVoxels, AreNamedWithTheirLine) {
  std::string text = kVoxelHeader + cells();
  const auto at = text.find(GetParam().file);
  ASSERT_NE(at, std::string::npos);
  write("voxels.prm", text.replace(at, std::string(GetParam().file).size(), GetParam().text));
  EXPECT_THAT(complaint(), HasSubstr(std::string("voxels.prm:") + GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(
    Voxels, WrongVoxels,
    testing::Values(
        WrongFile{"ny 7", "nz 7", "2: found \"nz\"; expected ny, in a header of nx ny nz, x0 y0 z0, dx dy dz, nodata_"},
        WrongFile{"nx 8", "nx eight", "1: found \"eight\"; expected the number of voxels along x"},
        WrongFile{"nz 8", "nz 0", "3: found 0; expected the number of voxels along z, at least 1"},
        WrongFile{"-2000.", "south", "5: found \"south\"; expected the y of the first voxel in m"},
        WrongFile{"dy 100.", "dy -1", "8: found -1.000000; expected the size of a voxel along y in m, above 0"},
        WrongFile{"nodata_value out", "nodata_value none", "10: found \"none\"; expected the name of a medium of the "},
        WrongFile{"Rock \n", "Clay \n",
                  "11: found \"Clay\" for voxel 8; expected the name of a medium of the parameter "
                  "file (out, sea, Rock)"},
        WrongFile{"nx 8", "nx 7", "60: found more words after the last voxel; expected the end of the file after 392"},
        WrongFile{"nx 8", "nx 9",
                  "67: found end of file; expected the name of a medium of the parameter file (out, "
                  "sea, Rock) for each of 504 voxels"}));

TEST_F(CaseFiles, WithATomographyNameWhatIsWrong) {
  const std::string head =
      "XMIN = -5\nXMAX = 5\nYMIN = -6\nYMAX = 5\nZMIN = -8\nTIME_STEPS = 12\nDS = 100.\nDT = 0.005\nDF = 1\n"
      "SOURCES = source.map\nSOURCE_TIME_FUNCTION = source.hist\nSTATIONS = station.map\nMODEL_TYPE = 3D\n";
  const std::string tail = "IMAX = 2\nJMAX = 1\nKMAX = 2\nTHETA = 35.\nX0 = 0\nY0 = 0\nMODEL_FILE = nodes.txt\n";
  write("case.prm", head + tail);
  const auto says = [&](const char* nodes) {
    write("nodes.txt", nodes);
    return complaint();
  };
  EXPECT_EQ(says("-1 0 0 5 2.5 2.5\n1 0 0 6 3 2.6\n-1 0 9 6 3 2.7\n1 0 9 7 4 2.8\n"), "nothing");
  EXPECT_THAT(says("-1 0 0 5 2.5 2.5\n"),
              HasSubstr("nodes.txt:2: found end of file; expected the x of node 2 of 4 in"));
  EXPECT_THAT(says("-1 0 0 5 2.5 2.5\n-1 0 0 6 3 2.6\n"),
              HasSubstr("nodes.txt:2: found -1; expected the x of node 2 of "
                        "4 in km, above -1 of the node before"));
  EXPECT_THAT(says("-1 0 0 5 2.5 2.5\n1 3 0"),
              HasSubstr("nodes.txt:2: found 3; expected the y of node 2 of 4 in km: 0, "
                        "as in the rows before (x fastest, then y, then depth)"));
  EXPECT_THAT(says("-1 0 0 0"), HasSubstr("found 0; expected the speed of P waves in km/s of node 1 of 4, above 0"));
  EXPECT_THAT(says("-1 0 0 5 4.9"),
              HasSubstr("found 4.9; expected the speed of S waves in km/s of node 1 of 4, from 0"));
  EXPECT_THAT(says("-1 0 0 5 2 light"), HasSubstr("found \"light\"; expected the density in g/cm3 of node 1 of 4"));
  EXPECT_THAT(
      says("-1 0 0 5 2.5 2.5\n1 0 0 6 3 2.6\n-1 0 9 6 3 2.7\n1 0 9 7 4 2.8\n2"),
      HasSubstr("nodes.txt:5: found more words after the last node; expected the end of the file after 4 nodes"));
  write("case.prm", head);
  EXPECT_THAT(complaint(),
              HasSubstr("case.prm:13: found the end of the file; expected MODEL_FILE with the tomography"));
  write("case.prm", head + "IMAX = many\nMODEL_FILE = nodes.txt\n");
  EXPECT_THAT(complaint(), HasSubstr("case.prm:14: found \"many\"; expected IMAX with the number of nodes"));
}

TEST(Number, TakesWhatTheFilesHoldAndNothingElse) {
  EXPECT_EQ(to_number("6000."), 6000);
  EXPECT_EQ(to_number("-00"), 0);
  EXPECT_EQ(to_number("0.355E+19"), 3.55e18);
  EXPECT_EQ(to_number("+1.5"), 1.5);
  for (const char* text : {"", "+", "1,5", "12a", "inf", "nan", "+-1", "0x10"}) {
    EXPECT_FALSE(to_number(text)) << text;
  }
  EXPECT_FALSE(to_integer("1.0"));
}

TEST(KeyedForm, IsReadLikeTheTaggedOne) {
  const Fields fields = read_keyed("old.prm",
                                   "# note\nXMIN = -200\nXMAX = 300 \nDS = 200.\nNB_LAYERS = 1\nMODEL_TYPE = 1D\n"
                                   "LAYER_1\t\t1.\t\t5080.\t2670.\t2560.\t-1.\n");
  EXPECT_EQ(fields.integer("", "xMax", ""), 300);
  EXPECT_EQ(fields.integer("", "zMax", ""), 0);
  EXPECT_EQ(fields.number("", "ds", ""), 200);
  EXPECT_EQ(fields.number("layer1", "vs", ""), 2670);
  EXPECT_EQ(fields.number("layer1", "rho", ""), 2560);
}

class Published : public testing::Test {
 protected:
  std::filesystem::path folder_ = std::filesystem::path(ONDES3D_DATA);
  void SetUp() override {
    if (!std::filesystem::exists(folder_)) {
      GTEST_SKIP() << "no published cases at " << folder_;
    }
  }
};

TEST_F(Published, TinyCaseIsRead) {
  const Case c = read_case((folder_ / "chuetsu-oki/chuetsu-oki.prm").string(), {});
  EXPECT_EQ(c.model.grid.cells, (Index3{31, 31, 17}));
  EXPECT_EQ(c.warnings.size(), 3U) << "its source and its station lie outside its grid";
}

TEST_F(Published, RegionalCaseIsReadWithItsLayers) {
  const std::string path = (folder_ / "chuetsu3d/chuetsu3d.prm").string();
  CaseOptions options;
  options.layers = true;
  const Case c = read_case(path, options);
  EXPECT_EQ(c.model.layers.size(), 5U);
  ASSERT_EQ(c.sources.size(), 1U);
  EXPECT_EQ(c.sources[0].point.strike, 187);
  EXPECT_GT(c.stations.size(), 700U);
}

TEST_F(Published, LigurianCaseIsRead) {
  const Case c = read_case((folder_ / "ligurian/ligurian.prm").string(), {});
  EXPECT_EQ(c.model.grid.cells, (Index3{520, 370, 136})) << "126 of 130 levels hold rock";
  EXPECT_DOUBLE_EQ(c.model.grid.corner[2] + 200 * 135, 0) << "the highest rock is the ground, z = 0";
  EXPECT_EQ(speeds(c.model).fastest, 6930);
  EXPECT_EQ(speeds(c.model).slowest, 400) << "of medium M, as the file has it";
  EXPECT_EQ(c.sources.size(), 16471U);
  EXPECT_EQ(c.sources[0].rate.size(), 100U);
  EXPECT_EQ(c.stations.size(), 650U);
  EXPECT_EQ(c.stations[0].position[2], 0);
}

TEST_F(Published, RegionalCaseIsReadWithItsTomography) {
  const std::string path = (folder_ / "chuetsu3d/chuetsu3d.prm").string();
  // 9,956 m/s at one node of the tomography: its own time step is 0.6 % too long.
  EXPECT_THROW((void)read_case(path, {}), std::runtime_error);
  CaseOptions options;
  options.timestep = 0.0099;
  const Case c = read_case(path, options);
  ASSERT_TRUE(c.model.geology);
  EXPECT_GT(speeds(c.model).fastest, 9900);
  EXPECT_LT(speeds(c.model).slowest, 1300);
  EXPECT_GT(c.model.layers.size(), 20U) << "speeds that grow from level to level";
  EXPECT_LT(c.model.layers.front().vp, c.model.layers.back().vp);
}

}  // namespace
}  // namespace ondes3d
