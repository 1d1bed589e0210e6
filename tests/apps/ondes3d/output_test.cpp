// What ondes3d writes, read back from the formats' own definitions: lattices, images for ParaView, grids, and what
// pictures show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "image_file.hpp"
#include "output/node_velocity.hpp"
#include "output/peak_files.hpp"
#include "output/picture_program.hpp"
#include "output/progress.hpp"
#include "output/results.hpp"
#include "output/scene.hpp"
#include "output/vti.hpp"
#include "output_fixture.hpp"

namespace ondes3d {
namespace {

TEST(Lattice, SharesItsSamplesAmongTheBlocks) {
  const Grid grid = model_of({37, 23, 15}, 10, 1, 3).grid;
  for (const int stride : {1, 2, 5, 11}) {
    const Lattice lattice = volume_lattice(grid, stride);
    EXPECT_EQ(lattice.node({0, 0, lattice.count[2] - 1})[2], grid.cells[2] - 1) << "the ground is shown";
    std::vector<int> owners(lattice.box().volume(), 0);
    // Blocks of uneven sizes; some hold no sample of the wide strides.
    for (int k = 0; k < grid.cells[2]; k += 6) {
      for (int j = 0; j < grid.cells[1]; j += 7) {
        for (int i = 0; i < grid.cells[0]; i += 4) {
          const Box block = intersect({{i, j, k}, {i + 4, j + 7, k + 6}}, grid.box());
          const Box samples = lattice.samples_in(block);
          for (int z = samples.lo[2]; z < samples.hi[2]; ++z) {
            for (int y = samples.lo[1]; y < samples.hi[1]; ++y) {
              for (int x = samples.lo[0]; x < samples.hi[0]; ++x) {
                EXPECT_TRUE(block.contains(lattice.node({x, y, z})));
                const int at = (z * lattice.count[1] + y) * lattice.count[0] + x;
                ++owners[static_cast<std::size_t>(at)];
              }
            }
          }
        }
      }
    }
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), static_cast<std::ptrdiff_t>(owners.size())) << stride;
  }
}

TEST(Lattice, OfAPlaneStaysOutOfTheAbsorbingLayers) {
  const Grid grid = model_of({20, 16, 12}, 100, 0.01, 4).grid;
  const Lattice plane = plane_lattice(grid, 1, 9);
  EXPECT_EQ(plane.count, (Index3{20, 1, 12}));
  EXPECT_EQ(plane.node({0, 0, 0}), (Index3{4, 9, 4}));
  EXPECT_EQ(plane.node({19, 0, 11}), (Index3{23, 9, 15}));
  EXPECT_NEAR(plane.origin(grid)[1], grid.corner[1] + 900, 1e-9);
}

// Staggered samples of a velocity that grows linearly (vz: quadratically with depth) come back at the nodes.
TEST(NodeVelocity, BringsTheComponentsTogether) {
  const Box own{{0, 0, 0}, {5, 4, 6}};
  State<double> state(own);
  const auto x = [](double i, double j, double k) { return 3 + 2 * i - j + 0.5 * k; };
  const auto y = [](double i, double j, double k) { return -1 + i + 4 * j + k; };
  const auto z = [](double i, double j, double k) { return 2 - i + j + 3 * k; };
  for (int k = -2; k < 6; ++k) {
    for (int j = -2; j < 6; ++j) {
      for (int i = -2; i < 7; ++i) {
        const std::ptrdiff_t at = state.layout.at(i, j, k);
        state.velocity[0][at] = x(i + 0.5, j, k);
        state.velocity[1][at] = y(i, j + 0.5, k);
        // Above the ground there is no rock to ask.
        state.velocity[2][at] = k < 5 ? z(i, j, k + 0.5) + 0.25 * (k + 0.5) * (k + 0.5) : 1e9;
      }
    }
  }
  for (const Index3 at : {Index3{0, 0, 3}, {4, 3, 4}, {2, 1, 5}}) {
    const auto [east, north, up] = node_velocity(state, 5, at);
    EXPECT_NEAR(east, x(at[0], at[1], at[2]), 1e-12);
    EXPECT_NEAR(north, y(at[0], at[1], at[2]), 1e-12);
    // The mean of two errs by a quarter of the curvature, the parabola at the ground not at all.
    const double bend = at[2] == 5 ? 0 : 0.25 * 0.25;
    EXPECT_NEAR(up, z(at[0], at[1], at[2]) + 0.25 * at[2] * at[2] + bend, 1e-12);
  }
}

TEST_F(Output, ImageHoldsEveryValueWhereItsHeaderSays) {
  const ImageFrame frame{{{0, 0, 0}, {4, 3, 2}}, {-100, 50, -10}, {10, 10, 5}};
  std::vector<float> values(72);
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = std::sin(static_cast<float>(n));
  }
  const std::vector<double> more(24, 7.5);
  write_vti(path("a.vti"), frame, frame.whole,
            {image_array<float>("velocity", 3, values), image_array<double>("more", 1, more)});
  const ImageFile image = read_image(path("a.vti"));
  EXPECT_EQ(image.extent, (std::array<int, 6>{0, 3, 0, 2, 0, 1}));
  EXPECT_EQ(image.origin, frame.origin);
  EXPECT_EQ(image.spacing, frame.spacing);
  EXPECT_EQ(image.type, "Float32");
  EXPECT_TRUE(std::equal(values.begin(), values.end(), image.values.begin(), image.values.end()));
  const std::string text = bytes_of(path("a.vti"));
  // The second array begins behind the first and its size.
  const std::size_t second = text.find("Name=\"more\"");
  EXPECT_EQ(attribute(text, "DataArray", "offset", text.rfind('<', second)), std::to_string(8 + 4 * 72));
  EXPECT_TRUE(text.ends_with("\n  </AppendedData>\n</VTKFile>\n"));
  EXPECT_THROW(write_vti("/nowhere/at/all.vti", frame, frame.whole, {}), std::runtime_error);
}

TEST_F(Output, PiecesMakeTheWholeImage) {
  const ImageFrame frame{{{0, 0, 0}, {5, 2, 2}}, {0, 0, 0}, {1, 1, 1}};
  const Box west{{0, 0, 0}, {3, 2, 2}}, east{{2, 0, 0}, {5, 2, 2}};
  const auto write = [&](const std::string& name, const Box& piece) {
    std::vector<double> values;
    for (int n = 0; n < 4; ++n) {
      for (int i = piece.lo[0]; i < piece.hi[0]; ++i) {
        values.push_back(10 * n + i);
      }
    }
    write_vti(path(name), frame, piece, {image_array<double>("v", 1, values)});
  };
  write("w.vti", west);
  write("e.vti", east);
  write_pvti(path("all.pvti"), frame, {image_array<double>("v", 1, {})}, {{west, "w.vti"}, {east, "e.vti"}});
  const ImageFile all = read_pieces(path("all.pvti"));
  EXPECT_EQ(all.values[all.at(4, 1, 0)], 14);
  EXPECT_EQ(all.values[all.at(2, 0, 1)], 22);
  const Box gap{{3, 0, 0}, {5, 2, 2}};
  write("e.vti", gap);
  write_pvti(path("all.pvti"), frame, {image_array<double>("v", 1, {})}, {{west, "w.vti"}, {gap, "e.vti"}});
  EXPECT_THROW((void)read_pieces(path("all.pvti")), std::runtime_error) << "the check sees a missing cell";
}

TEST_F(Output, SeriesNamesItsMoments) {
  write_pvd(path("s.pvd"), {{0.5, "s/1.vti"}, {1.25, "s/2.vti"}});
  const std::string text = bytes_of(path("s.pvd"));
  EXPECT_EQ(attribute(text, "VTKFile", "type"), "Collection");
  EXPECT_EQ(attribute(text, "DataSet", "timestep"), "0.5");
  const std::size_t second = text.find("<DataSet", text.find("<DataSet") + 1);
  EXPECT_EQ(attribute(text, "DataSet", "timestep", second), "1.25");
  EXPECT_EQ(attribute(text, "DataSet", "file", second), "s/2.vti");
}

PlaneResult hot_spot(const Case& c, const Plane& plane, std::size_t at) {
  PlaneResult result{plane, std::vector<double>(plane.lattice.box().volume(), 0), {}};
  result.peak[at] = 2.0 / 3;
  result.snapshots.push_back({c.model.grid.timestep, {result.peak.begin(), result.peak.end()}});
  return result;
}

TEST_F(Output, PeakGridRunsFromNorthToSouth) {
  const Case c = small_case();
  const Plane ground = planes_of(c)[0];
  const int columns = ground.lattice.count[0], rows = ground.lattice.count[1];
  const int at = 2 * columns + 5;
  const PlaneResult result = hot_spot(c, ground, static_cast<std::size_t>(at));
  write_peak_grid(path("p.asc"), c.model.grid, result, sizeof(double));
  std::istringstream in(bytes_of(path("p.asc")));
  std::string key;
  std::array<double, 6> head{};
  for (double& value : head) {
    in >> key >> value;
  }
  EXPECT_EQ(head, (std::array<double, 6>{20, 16, ground.lattice.origin(c.model.grid)[0],
                                         ground.lattice.origin(c.model.grid)[1], 100, -9999}));
  std::vector<double> values(static_cast<std::size_t>(columns * rows));
  for (double& value : values) {
    in >> value;
  }
  EXPECT_EQ(values[static_cast<std::size_t>((rows - 1 - 2) * columns + 5)], 2.0 / 3);
  write_peak_image(path("p.vti"), c.model.grid, result, sizeof(float));
  const ImageFile image = read_image(path("p.vti"));
  EXPECT_EQ(image.name, "peak horizontal velocity");
  EXPECT_EQ(image.values[image.at(5, 2, 0)], static_cast<double>(2.0F / 3));
}

TEST(Plane, FollowsTheCase) {
  Case c = small_case();
  const auto planes = planes_of(c);
  ASSERT_EQ(planes.size(), 4U);
  EXPECT_EQ(planes[0].lattice.first[2], c.model.grid.cells[2] - 1);
  EXPECT_EQ(planes[1].lattice.first[1], 10);
  EXPECT_EQ(planes[2].lattice.first[0], 12);
  EXPECT_EQ(planes[3].lattice.first[2], c.model.grid.cells[2] - 3);
  EXPECT_EQ(planes[0].file_stem("peak-velocity"), "peak-velocity");
  EXPECT_EQ(planes[1].file_stem("wave-field"), "wave-field-west-east");
  c.planes[2] = c.model.grid.cells[2] - 1;
  EXPECT_EQ(planes_of(c).size(), 3U) << "k0 is the ground";
}

TEST_F(Output, WritesWhatWasAskedFor) {
  const Case c = small_case();
  const std::vector<PlaneResult> planes{hot_spot(c, planes_of(c)[0], 3), hot_spot(c, planes_of(c)[1], 3)};
  const auto names = [&](const ResultOptions& options) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    (void)write_results(folder_, {c, {kTrace}, planes, sizeof(float)}, options);
    std::vector<std::string> list;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) {
        list.push_back(std::filesystem::relative(entry.path(), folder_).string());
      }
    }
    std::sort(list.begin(), list.end());
    return list;
  };
  const PictureKinds none{"", false};
  const std::vector<std::string> always{"peak-velocity-west-east.vti", "peak-velocity.asc", "peak-velocity.vti",
                                        "pictures.dat"};
  auto wanted = always;
  wanted.insert(wanted.end(),
                {"seismograms/Lighthouse.HXE.sac", "seismograms/Lighthouse.HXN.sac", "seismograms/Lighthouse.HXZ.sac"});
  EXPECT_EQ(names({.text = false, .sac = true, .origin = {}, .pictures = none, .launched = {}}), wanted);
  wanted = always;
  wanted.emplace_back("seismograms/Lighthouse.txt");
  EXPECT_EQ(names({.text = true, .sac = false, .origin = {}, .pictures = none, .launched = {}}), wanted);
}

void write_text(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

TEST_F(Output, SceneComesBackFromItsFile) {
  const Case c = small_case();
  const std::vector<PlaneResult> planes{hot_spot(c, planes_of(c)[0], 3), hot_spot(c, planes_of(c)[2], 5)};
  write_scene(path("pictures.dat"), {c, {kTrace}, planes, sizeof(float), 4});
  const Scene scene = read_scene(path("pictures.dat"));
  EXPECT_EQ(scene.grid.cells, c.model.grid.cells);
  EXPECT_EQ(scene.grid.corner, c.model.grid.corner);
  EXPECT_EQ(scene.hypocentre, c.hypocentre);
  EXPECT_EQ(scene.panels, 4);
  EXPECT_EQ(scene.roofs, (std::vector<double>{0, -500}));
  ASSERT_EQ(scene.stations.size(), 1U);
  EXPECT_EQ(scene.stations[0].name, "Lighthouse");
  EXPECT_GT(scene.stations[0].p, 0);
  EXPECT_GT(scene.stations[0].s, scene.stations[0].p);
  ASSERT_EQ(scene.traces[0].size(), kTrace.size());
  EXPECT_EQ(scene.traces[0][1][2], static_cast<double>(1e-3F));
  ASSERT_EQ(scene.planes.size(), 2U);
  EXPECT_EQ(scene.planes[1].plane.name, "south-north");
  EXPECT_EQ(scene.planes[1].plane.lattice.count, planes[1].plane.lattice.count);
  EXPECT_EQ(scene.planes[1].peak[5], static_cast<double>(2.0F / 3));
  EXPECT_EQ(scene.planes[1].snapshots[0].up, planes[1].snapshots[0].up);
  EXPECT_NEAR(scene.planes[1].snapshots[0].time, c.model.grid.timestep, 1e-9);
}

TEST_F(Output, SceneThatIsDamagedIsRefusedByName) {
  const Case c = small_case();
  write_scene(path("pictures.dat"), {c, {kTrace}, {hot_spot(c, planes_of(c)[0], 3)}, sizeof(float), 4});
  const std::string whole = bytes_of(path("pictures.dat"));
  const auto complaint = [&](const std::string& text) -> std::string {
    write_text(path("damaged"), text);
    try {
      (void)read_scene(path("damaged"));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(complaint(whole), "none");
  for (const std::string& text :
       {std::string(), std::string("GIF89a"), whole.substr(0, 40), whole.substr(0, whole.size() - 4), whole + "1234",
        with("ondes3d-pictures 1", "ondes3d-pictures 2"), with("stations 1 3", "stations 16000000 16000000"),
        with("plane ground 2", "plane ../x 2"), with("plane ground 2", "plane ground 1"), with("panels 4", "panels x"),
        with("cells 28", "cells -1"), whole.substr(0, whole.size() - 4) + std::string("\0\0\xc0\x7f", 4)}) {
    EXPECT_NE(complaint(text).find("damaged: is not a whole file of ondes3d for pictures"), std::string::npos)
        << complaint(text) << " for " << text.substr(0, 60);
  }
  EXPECT_THROW((void)read_scene(path("none")), std::runtime_error);
}

// A program of that name beside the one that was launched; says what it was asked for.
TEST_F(Output, PicturesAreDrawnByTheProgramBesideThisOne) {
  const std::string program = path("ondes3d-pictures");
  const auto become = [&](const std::string& script) {
    write_text(program, "#!/bin/sh\n" + script);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  };
  const PictureKinds kinds{"pdf,svg", true};
  become("printf '%s\\n' \"$@\"\n");
  EXPECT_EQ(draw_pictures("a folder", path("ondes3d"), kinds),
            (std::vector<std::string>{"--format", "pdf,svg", "--movie", "--", "a folder"}));
  become("exit 3\n");
  EXPECT_THROW((void)draw_pictures("a folder", path("ondes3d"), kinds), std::runtime_error);
  std::filesystem::remove(program);
  const std::string search = std::getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  const auto lines = draw_pictures("a folder", path("ondes3d"), kinds);
  setenv("PATH", search.c_str(), 1);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("no pictures: there is no ondes3d-pictures beside ondes3d")) << lines[0];
}

TEST(Movie, HasTheMomentsOfThePanels) {
  for (const int panels : {1, 6, 7, 100}) {
    EXPECT_GE(movie_frames(panels), 150);
    EXPECT_EQ(movie_frames(panels) % panels, 0);
  }
  EXPECT_EQ(movie_frames(0), 150);
}

TEST(Progress, SaysTimesInWords) {
  EXPECT_EQ(in_words(0.04), "0.0 s");
  EXPECT_EQ(in_words(99.94), "99.9 s");
  EXPECT_EQ(in_words(99.96), "1 min 40 s");
  EXPECT_EQ(in_words(185.4), "3 min 05 s");
  EXPECT_EQ(in_words(9700), "2 h 41 min");
}

}  // namespace
}  // namespace ondes3d
