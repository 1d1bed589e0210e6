// The Ondes3D formats: what they say, and what is said when they are wrong.
#include <cstdlib>

#include "case_files.hpp"
#include "input/fields.hpp"
#include "input/input_error.hpp"
#include "input/number.hpp"

namespace ondes3d {
namespace {

using testing::HasSubstr;

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
        Wrong{"<fd0> 1. </fd0>", "<fdo> 1. </fdo>", "7", "<fdo>, which no case has", "<fd0> or free text without tags"},
        Wrong{"<fd0> 1. </fd0>", "<fd0> 1. </fd0> <dt> 0.006 </dt>", "7", "<dt> a second time, after line 2",
              "each name"},
        Wrong{"<fd0> 1. </fd0>", "<author> me </author>", "7", "<author>, which no case has", "a name that docs/ondes"},
        Wrong{"<fd0> 1. </fd0>", "<fd-0> 1. </fd-0>", "7", "a closing tag that nothing opened", "an opening tag"},
        Wrong{"<rho> 2700. </rho>", "<rho> 2700. </rho> <Qr> 9 </Qr>", "15", "<layer1><Qr>, which no case has",
              "<layer1><Qp> or free"},
        Wrong{"<rho> 2700. </rho>", "<rho> 2700. </rho> <q> 90 </q> <q0> 80 </q0>", "15", "<layer1><q0> a second time",
              "each name once"},
        Wrong{"<nlayer> 2", "<nlayer> 1", "17", "<layer2>", "layers up to 1, as <nlayer> says"},
        Wrong{"<fd0> 1. </fd0>", "<layer03> <rho> 1 </rho> </layer03>", "7", "<layer03><rho>, which no case has",
              "a name that docs"},
        Wrong{"<rho> 2700. </rho>", "<rho> 2.7 </rho>", "15", "2.7",
              "<layer1><rho> with the density in kg/m3, from 100"},
        Wrong{"6000.", "6.0", "15", "6.0", "<layer1><vp> with the speed of P waves in m/s, from 50 to 20000"},
        Wrong{"<depth> -3", "<depth> -30000", "18", "-30000", "<layer2><depth> with the roof of the layer in km, from"},
        Wrong{"<xMin> -5", "<xMin> -2147483648", "4", "5, which makes 2147483654 cells",
              "<xMax> with the last cell, wi"},
        Wrong{"12", "2147483647", "3", "2147483647", "<tmax> with the number of time steps, at most 715827882"},
        Wrong{"<fd0>", "</odd> <fd0>", "7", "a closing tag that nothing opened", "an opening tag"}));

class WrongMap : public CaseFiles, public testing::WithParamInterface<WrongFile> {};

TEST_P(WrongMap, IsNamedWithItsLine) {
  write(GetParam().file, GetParam().text);
  EXPECT_THAT(complaint(), HasSubstr(GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(
    Maps, WrongMap,
    testing::Values(
        WrongFile{"station.map", "", "station.map: found the end of the file; expected the number of stations"},
        WrongFile{"station.map", "many\n", "station.map:1: found \"many\"; expected the number of stations"},
        WrongFile{"station.map", "2\n1 0 0\n", "station.map:2: found the end of the file after 1 stations; expected 2"},
        WrongFile{"station.map", "1\n\n1 0 here\n", "station.map:3: found \"1 0 here\"; expected a station: index x y"},
        WrongFile{"station.map", "1\n1 0 0 0 a/b\n", "station.map:2: found \"a/b\"; expected a name"},
        WrongFile{"station.map", "1 -200 0\n2 100 30\n",
                  "station.map:1: found \"1 -200 0\"; expected the number of stations, alone on its line"},
        WrongFile{"station.map", "1\n1 0 0\n2 100 30\n",
                  "station.map:3: found \"2\" after the last of 1 stations; expected the end of the file"},
        WrongFile{"station.map", "1\n1 0 0 0 Quay Harbour\n", "map:2: found \"1 0 0 0 Quay Harbour\"; expected a stat"},
        WrongFile{"station.map", "2\n1 0 0\n1 9 9\n",
                  "station.map:3: found station 1 a second time, after line 2; expected a station with an index and"},
        WrongFile{"station.map", "2\n1 0 0 0 Quay\n2 9 9 0 Quay\n", "station.map:3: found \"Quay\" a second time, aft"},
        WrongFile{"source.map", "1\n0 0 0\n1 0 0 0\n2 1 1 1\n",
                  "source.map:4: found \"2\" after the last of 1 sub-sources; expected the end of the file"},
        WrongFile{"source.map", "2\n0 0 0\n1 0 0 0\n1 1 1 1\n", "source.map:4: found index 1 a second time; expected"},
        WrongFile{"source.hist", "M0\nMw\n1 0.1\n3\n1 187 54 70\n1e15 2e15 0 0\n2 187 54 70\n1 2 3\n",
                  "source.hist:6: found 0; expected the index of sub-source 2 of 2, 2 as in the source map, after as"},
        WrongFile{"source.hist", "M0\nMw\n1 0.1\n3\n1 187 54 70\n1e15 2e15 0\n3 187 54 70\n1 2 3\n",
                  "source.hist:7: found 3; expected the index of sub-source 2 of 2, 2 as in the source map, after as"},
        WrongFile{"source.hist", "M0\nMw\n1 0.1\n3\n1 187 54 70\n1 2 3\n2 187 54 70\n1 2 3 4\n",
                  "source.hist:8: found \"4\" after the last of 3 samples of sub-source 2 of 2; expected the end of"},
        WrongFile{"source.hist", "M0\nMw\n1 0.1\n1\n1 2 187 54\n0\n2 0 0 0\n1\n",
                  "source.hist:5: found 187; expected the dip in degrees of sub-source 1 of 2, from -90 to 90"},
        WrongFile{"source.hist", "M0\nMw\n1 0.1\n1\n1 1 1 1\n1e308\n2 0 0 0\n1\n",
                  "source.hist:6: found 1e+308; expected a moment rate in N m/s of sub-source 1 of 2, at most 1e+25"},
        WrongFile{"source.hist", "M0\nMw\n0 0.1\n1\n", "source.hist:3: found 0; expected the spacing of the history"},
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

TEST(KeyedForm, NamesWhatItWouldLeaveOut) {
  const auto said = [](const char* row) {
    try {
      (void)read_keyed("old.prm", std::string("XMIN = -200\n") + row + "\n");
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(said("free text = no, it is a sentence"), "nothing");
  EXPECT_EQ(said("# DTT = 3"), "nothing");
  EXPECT_EQ(said("DT=0.01 # s"), "nothing");
  EXPECT_THAT(said("DTT = 3"), HasSubstr("old.prm:2: found DTT, which no case has; expected a key that"));
  EXPECT_THAT(said("XMIN = 3"),
              HasSubstr("old.prm:2: found XMIN a second time, after line 1; expected each name once"));
  EXPECT_THAT(said("DT 0.01"), HasSubstr("old.prm:2: found \"DT 0.01\"; expected DT = value"));
  EXPECT_THAT(said("NDIM = 2"), HasSubstr("found \"2\"; expected NDIM with 4"));
  EXPECT_THAT(said("LAYER_1 1. 5080. 2670. 2560. -1. 4"), HasSubstr("expected LAYER_n, roof in km"));
  EXPECT_THAT(said("LAYER_one 1. 5080. 2670. 2560."), HasSubstr("expected LAYER_n, roof in km"));
}

TEST_F(CaseFiles, MayBeCompressedEachOfThem) {
  const Case plain = read();
  if (std::system(("gzip " + (folder_ / "station.map").string() + " " + (folder_ / "source.hist").string()).c_str()) !=
      0) {
    GTEST_SKIP() << "no gzip";
  }
  try {
    const Case c = read();
    ASSERT_EQ(c.stations.size(), plain.stations.size());
    EXPECT_EQ(c.stations[1].name, plain.stations[1].name);
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("as gunzip leaves it")) << "a build without zlib says so";
  }
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
