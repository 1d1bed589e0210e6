// Files of voxels and tomographies: what they say, and what is said when they are wrong.
#include <cstdlib>

#include "case_files.hpp"
#include "input/input_error.hpp"

namespace ondes3d {
namespace {

using testing::HasSubstr;

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

TEST_F(VoxelFiles, AttenuateAsTheirMediaSay) {
  const auto with = [&](const std::string& of_rock, const std::string& more) {
    std::string text = kVoxelParameters;
    write("case.prm", text.insert(text.rfind("</layer3>"), of_rock) + more);
    return read();
  };
  EXPECT_FALSE(attenuates(with("", "").model));
  const Case own = with("<Qp> 90 </Qp> <Qs> 45 </Qs>", "<qs_per_vs> 10 </qs_per_vs>");
  EXPECT_EQ(own.geology->quality({10, 10, 15}).p, 90) << "its own factors count first";
  EXPECT_EQ(own.geology->quality({10, 10, 15}).s, 45);
  EXPECT_EQ(own.geology->quality({10, 16, 15}).p, 0) << "the sea";
  EXPECT_GT(speeds(own.model).fastest, 6000) << "the unrelaxed moduli";
  const Case ruled = with("", "<qs_per_vs> 10 </qs_per_vs>");
  EXPECT_NEAR(ruled.geology->quality({10, 10, 15}).s, 34.6, 1e-9);
  EXPECT_NEAR(ruled.geology->quality({10, 10, 15}).p, 69.2, 1e-9);
  EXPECT_FALSE(attenuates(with("<q> 0 </q>", "<qs_per_vs> 10 </qs_per_vs>").model)) << "0 is no loss";
  EXPECT_EQ(with("<q> 15 </q>", "").warnings.size(), with("<q> 25 </q>", "").warnings.size() + 1);
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

TEST_F(VoxelFiles, WarnWhereTheDomainGoesOnBeyondThem) {
  const auto before = read().warnings.size();
  std::string text = kVoxelParameters;
  write("case.prm", text.replace(text.find("<yMax> 7"), 8, "<yMax> 9"));
  const Case c = read();
  ASSERT_EQ(c.warnings.size(), before + 1);
  EXPECT_THAT(c.warnings[0],
              HasSubstr("the domain reaches in y from -2000 to -1200 m, the voxels from -2050 to -1350 m"));
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
        Wrong{"<x0> 1000.", "<x0> 9000.", "7", "a domain from 9000 to 9700 m",
              "<x0> with a domain among the voxels, which reach in x from 950 to 1750 m"},
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

}  // namespace
}  // namespace ondes3d
