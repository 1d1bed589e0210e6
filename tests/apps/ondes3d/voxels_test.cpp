// Rock that differs from cell to cell: the same waves as in layers, parts for ranks, ground that is not flat.
#include <gtest/gtest.h>

#include <cmath>

#include "alone.hpp"
#include "input/tomography.hpp"
#include "input/voxels.hpp"

namespace ondes3d {
namespace {

// Voxels of the grid's own size; medium_of(node) is a number in `media`.
template <typename MediumOf>
std::shared_ptr<Voxels> voxels_of(const Grid& grid, const std::vector<Layer>& rocks, const MediumOf& medium_of) {
  std::vector<Medium> media;
  for (const Layer& rock : rocks) {
    media.push_back({"m" + std::to_string(media.size()), rock});
  }
  VoxelFile file;
  file.frame = {grid.cells, grid.corner, {grid.spacing, grid.spacing, grid.spacing}};
  for (int k = 0; k < grid.cells[2]; ++k) {
    for (int j = 0; j < grid.cells[1]; ++j) {
      for (int i = 0; i < grid.cells[0]; ++i) {
        file.media.push_back(static_cast<std::uint8_t>(medium_of(Index3{i, j, k})));
        ++file.count[file.media.back()];
      }
    }
  }
  return std::make_shared<Voxels>(grid, std::move(file), media);
}

void expect_the_waves_of_layers(const Layers& layers, int steps = 150) {
  // An interface between two levels of nodes, so that each voxel holds one medium.
  const Model flat = model_of({24, 22, 20}, 200, 0.012, 6, layers);
  Model rough = flat;
  rough.geology = voxels_of(flat.grid, layers, [&](const Index3& node) {
    return flat.grid.corner[2] + flat.grid.spacing * node[2] > layers[1].roof ? 0 : 1;
  });
  const Source source = pulse_source({-300, 500, -2500}, 0.6, 1e15, 0.01);
  const std::vector<Vec3> stations{{700, -500, 0}, {-900, 300, -1700}};
  const auto in_layers = listen<double>(flat, {source}, stations, steps);
  const auto in_voxels = listen<double>(rough, {source}, stations, steps);
  for (std::size_t n = 0; n < stations.size(); ++n) {
    EXPECT_LT(misfit(in_voxels[n], in_layers[n]), 1e-10);
  }
}

TEST(Voxels, CarryTheWavesOfLayers) { expect_the_waves_of_layers({{0, 2400, 4000, 2300}, {-1500, 2700, 6000, 3460}}); }

TEST(Voxels, CarryTheWavesOfAttenuatingLayers) {
  expect_the_waves_of_layers({{0, 2700, 6000, 3460, 80, 40}, {-1500, 2700, 6000, 3460, 80, 40}}, 70);
  expect_the_waves_of_layers({{0, 2400, 4000, 2300, 60, 30}, {-1500, 2700, 6000, 3460, 200, 100}}, 70);
}

TEST(Voxels, CarryTheWavesOfASeaOverRock) {
  expect_the_waves_of_layers({{0, 1030, 1530, 0}, {-1500, 2700, 6000, 3460}});
}

TEST(Voxels, AreHeldOnlyWhereARankAsks) {
  const Model model = model_of({14, 12, 9}, 100, 0.005, 3);
  const std::vector<Layer> rocks{{0, 2400, 4000, 2300}, {0, 2700, 6000, 3460, 100, 50}, {0, 1030, 1530, 0}};
  const auto whole = voxels_of(model.grid, rocks, [](const Index3& n) { return (n[0] + 2 * n[1] + 5 * n[2]) % 3; });
  const Box own{{5, 7, 4}, {11, 18, 9}};
  const PackedBytes packed = whole->part(own);
  EXPECT_LT(packed.bytes().size(), 1200U) << "one byte for each voxel, and the media";
  const auto part = unpack_geology(model.grid, packed);
  for (int k = own.lo[2]; k <= own.hi[2]; ++k) {
    for (int j = own.lo[1]; j <= std::min(own.hi[1], model.grid.cells[1] - 1); ++j) {
      for (int i = own.lo[0]; i <= own.hi[0]; ++i) {
        ASSERT_EQ(part->at({i, j, k}).lambda, whole->at({i, j, k}).lambda) << i << ' ' << j << ' ' << k;
        ASSERT_EQ(part->quality({i, j, k}).s, part->at({i, j, k}).rho == 2700 ? 50 : 0) << i << ' ' << j << ' ' << k;
      }
    }
  }
  EXPECT_EQ(part->speeds().fastest, 6000);
  EXPECT_EQ(part->speeds().slowest, 1530);
  EXPECT_EQ(part->least_quality(), 50);
  EXPECT_EQ(part->fastest_unrelaxed(1), fastest_p(unrelaxed({rocks[1]}, 1)));
  const Index3 in_layer{1, 9, 6};
  EXPECT_EQ(whole->at(in_layer).rho, whole->at({3, 9, 6}).rho) << "absorbing layers hold the rock beside them";
}

TEST(Voxels, LeaveTheAirStillAndTheHillsStable) {
  Model model = model_of({20, 20, 16}, 200, 0.012, 6);
  const Layer rock{0, 2700, 6000, 3460};
  const int top = model.grid.cells[2] - 1;
  const auto height = [&](int i, int j) {
    return top - static_cast<int>(std::lround(2 + 1.9 * std::sin(0.5 * i) * std::cos(0.4 * j)));
  };
  model.geology =
      voxels_of(model.grid, {Layer{}, rock}, [&](const Index3& n) { return n[2] <= height(n[0], n[1]) ? 1 : 0; });
  Subdomain<double> domain(model, model.grid.box(), {pulse_source({0, 0, -1900}, 0.5, 1e15, 0.01)});
  const auto& state = domain.state();
  double early = 0;
  double late = 0;
  for (int n = 0; n < 900; ++n) {
    step(domain, n * model.grid.timestep);
    double fastest = 0;
    for (int j = 8; j < 24; ++j) {
      for (int i = 8; i < 24; ++i) {
        fastest = std::max(fastest, std::abs(state.velocity[2][state.layout.at(i, j, height(i, j) - 1)]));
        if (height(i, j) + 1 < top && height(i + 1, j) < top - 1) {
          ASSERT_EQ(state.velocity[0][state.layout.at(i, j, top)], 0) << "between two cells of air";
        }
      }
    }
    (n < 150 ? early : late) = std::max(n < 150 ? early : (n < 700 ? 0 : late), fastest);
  }
  EXPECT_GT(early, 0);
  EXPECT_LT(late, 0.05 * early) << "what the absorbing layers leave after 8 s";
}

TEST(Tomography, IsLinearBetweenItsNodesAndTurned) {
  const Model model = model_of({20, 20, 20}, 100, 0.005, 3);
  TomographyFile file;
  file.frame = {0.2, -0.1, 35};
  file.axes = {std::vector<double>{-2, 2}, {-2, 0.3, 2}, {0, 5}};
  for (std::size_t n = 0; n < 12; ++n) {
    const double x = file.axes[0][n % 2], y = file.axes[1][n / 2 % 3], depth = file.axes[2][n / 6];
    file.nodes.push_back({static_cast<float>(5000 + 100 * x + 50 * y + 80 * depth), static_cast<float>(2500 + 30 * x),
                          static_cast<float>(2500 + 20 * depth)});
  }
  file.qs_per_vs = 50;
  const Tomography tomography(model.grid, file);
  const Index3 node{9, 14, 16};
  const Vec3 place{model.grid.corner[0] + 900, model.grid.corner[1] + 1400, model.grid.corner[2] + 1600};
  // Node (0.2, -0.1) km is the origin; the y axis points 35 degrees east of North.
  const double east = place[0] / 1000 - 0.2, north = place[1] / 1000 + 0.1;
  const double c = std::cos(35 * std::numbers::pi / 180), s = std::sin(35 * std::numbers::pi / 180);
  const double x = east * c - north * s, y = east * s + north * c, depth = -place[2] / 1000;
  const Elastic rock = tomography.at(node);
  EXPECT_NEAR(rock.rho, 2500 + 20 * depth, 1e-3);
  EXPECT_NEAR(std::sqrt((rock.lambda + 2 * rock.mu) / rock.rho), 5000 + 100 * x + 50 * y + 80 * depth, 1e-2);
  EXPECT_NEAR(std::sqrt(rock.mu / rock.rho), 2500 + 30 * x, 1e-2);
  const auto speeds = tomography.speeds();
  EXPECT_GT(speeds.fastest, 5000);
  EXPECT_LT(speeds.fastest, 5400) << "nothing below the domain counts";
  const auto again = unpack_geology(model.grid, tomography.part(model.grid.box()));
  EXPECT_EQ(again->at(node).mu, rock.mu);
  const Quality quality = again->quality(node);
  EXPECT_NEAR(quality.s, 50 * (2.5 + 0.03 * x), 0.8) << "in steps of 1 %";
  EXPECT_NEAR(quality.p, 2 * quality.s, 3);
  EXPECT_GT(again->fastest_unrelaxed(1), speeds.fastest);
  EXPECT_NEAR(again->least_quality(), 50 * speeds.slowest / 1000, 1e-9);
}

}  // namespace
}  // namespace ondes3d
