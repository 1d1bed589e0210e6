// Anelastic rock: quality factors over the band, plane waves that lose amplitude and disperse as they must, equal bits.
#include <gtest/gtest.h>
#include <unistd.h>

#include <complex>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "input/case.hpp"
#include "periodic.hpp"
#include "physics/relaxation.hpp"
#include "tests/sanitized.hpp"

namespace ondes3d {
namespace {

constexpr double kReference = 1;  // Hz
constexpr double kPi = std::numbers::pi;

Layers rock_with(double qp, double qs) { return {{0, 2700, 6000, 3460, qp, qs}}; }

class Quality : public testing::TestWithParam<double> {};

TEST_P(Quality, IsTheSameOverTheBand) {
  const Relaxation relaxation(kReference);
  const Shares shares = relaxation.shares(GetParam());
  for (double f = relaxation.lowest(); f < relaxation.highest(); f *= 1.2) {
    const auto m = relaxation.modulus(shares, f);
    EXPECT_NEAR(m.real() / m.imag(), GetParam(), 0.05 * GetParam()) << f << " Hz";
  }
  for (const double share : shares) {
    EXPECT_GE(share, 0);
    EXPECT_LT(8 * share, 1) << "each cell holds one mechanism, eight times as strong";
  }
}

INSTANTIATE_TEST_SUITE_P(Factors, Quality, testing::Values(kLeastQuality, 50.0, 100.0, 1000.0));

TEST(Attenuation, IsNothingWithoutQualityFactors) {
  const Model model = model_of({12, 12, 12}, 100, 0.005, 4);
  const Subdomain<float> domain(model, model.grid.box(), {});
  EXPECT_FALSE(domain.attenuation().on());
  EXPECT_EQ(domain.attenuation().bytes(), 0U);
}

TEST(Attenuation, NeedsATimeStepForTheUnrelaxedModuli) {
  Model model = model_of({12, 12, 12}, 100, 0.005, 4, rock_with(20, 20));
  const double stiff = speeds(model).fastest;
  // Kjartansson 1979: the speed grows with f^(1 / (pi Q)); mechanisms lie up to 20 Hz.
  EXPECT_NEAR(stiff, 6000 * std::pow(20, 1 / (20 * kPi)), 180);
  model.layers = rock_with(0, 0);
  EXPECT_EQ(speeds(model).fastest, 6000);
}

// A case of two layers whose rows say this of their quality.
Case read_layers_with(const std::string& first, const std::string& second, bool elastic = false) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("ondes3d-quality-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("station.map", "1\n1 0 0 0\n");
  write("source.map", "1\n0 0 -300\n1 0 0 -300\n");
  write("source.hist", "M0\nMw\n1 0.1\n2\n1 1 1 1\n0 1e15\n");
  write("case.prm",
        "<dt> 0.005 </dt> <ds> 100 </ds> <tmax> 1 </tmax> <xMin> -9 </xMin> <xMax> 9 </xMax> <yMin> -9 </yMin> "
        "<yMax> 9 </yMax> <zMin> -9 </zMin> <zMax> 0 </zMax> <fstatMap> station.map </fstatMap> <fsrcMap> source.map "
        "</fsrcMap> <fsrcHist> source.hist </fsrcHist> <nlayer> 2 </nlayer>\n"
        "<layer1> <depth> 0 </depth> <rho> 2400 </rho> <vp> 4000 </vp> <vs> 2300 </vs>" +
            first + "</layer1>\n<layer2> <depth> -1 </depth> <rho> 2700 </rho> <vp> 6000 </vp> <vs> 3460 </vs>" +
            second + "</layer2>\n");
  CaseOptions options;
  options.elastic = elastic;
  Case c = read_case((folder / "case.prm").string(), options);
  std::filesystem::remove_all(folder);
  return c;
}

TEST(Attenuation, IsReadWithTheLayers) {
  const std::string two = "<Qp> 80 </Qp> <Qs> 40 </Qs>";
  const Case c = read_layers_with(two, "<q> -1 </q>");
  EXPECT_EQ(c.model.layers[0].qp, 80);
  EXPECT_EQ(c.model.layers[0].qs, 40);
  EXPECT_EQ(c.model.layers[1].qp, 0) << "not positive: no loss";
  EXPECT_TRUE(attenuates(c.model.layers));
  EXPECT_FALSE(attenuates(read_layers_with(two, two, true).model.layers)) << "--elastic";
  EXPECT_FALSE(attenuates(read_layers_with("", "").model.layers));
  EXPECT_EQ(read_layers_with(two, "").warnings.size() + 1, read_layers_with("<q> 12 </q>", "").warnings.size());
}

// A pulse that rises from 6 km above the bottom of a column 50 km high, and what passes two heights.
class Column {
 public:
  Column(const Layers& rock, bool shear) : shear_(shear), speed_(shear ? rock[0].vs : rock[0].vp) {
    Model model = columns_of({2, 2, 501}, 100, kTimestep, rock);
    model.cpml.frequency = kReference;
    Periodic column(model);
    const double bottom = model.grid.corner[2];
    const Elastic elastic = effective_medium(rock, -2, -1);
    column.fill([&](std::size_t field, const Vec3& place) { return start(field, place[2] - bottom - 6000, elastic); });
    // The ground's echo comes back to the upper height after 72 km.
    const int steps = static_cast<int>(60000 / speed_ / kTimestep);
    for (int n = 0; n < steps; ++n) {
      for (std::size_t at = 0; at < 2; ++at) {
        const auto cell = column.state().layout.at(1, 0, kLevels[at]);
        records_[at].push_back(column.state().velocity[shear_ ? 0 : 2][cell]);
      }
      column.step();
    }
  }

  // What the way from one height to the other does to a frequency.
  [[nodiscard]] std::complex<double> transfer(double f) const { return spectrum(1, f) / spectrum(0, f); }
  [[nodiscard]] double distance() const { return 100.0 * (kLevels[1] - kLevels[0]); }
  [[nodiscard]] double speed() const { return speed_; }

 private:
  static constexpr double kTimestep = 0.007;
  static constexpr std::array<int, 2> kLevels{100, 220};

  // Velocities at t = 0, stresses half a step before; s = -rho c v for what rises.
  [[nodiscard]] double start(std::size_t field, double z, const Elastic& rock) const {
    const auto pulse = [&](double at) {
      const double width = 0.09 * speed_;
      return std::abs(at) < 6 * width ? std::exp(-at * at / (2 * width * width)) : 0;
    };
    const double earlier = pulse(z + speed_ * kTimestep / 2) / speed_;
    if (shear_) {
      return field == 0 ? pulse(z) : field == 7 ? -rock.mu * earlier : 0;
    }
    const double normal = field == 5 ? rock.lambda + 2 * rock.mu : rock.lambda;
    return field == 2 ? pulse(z) : field >= 3 && field <= 5 ? -normal * earlier : 0;
  }

  [[nodiscard]] std::complex<double> spectrum(std::size_t at, double f) const {
    std::complex<double> sum = 0;
    for (std::size_t n = 0; n < records_[at].size(); ++n) {
      sum += records_[at][n] * std::polar(1.0, -2 * kPi * f * kTimestep * static_cast<double>(n));
    }
    return sum;
  }

  bool shear_;
  double speed_;
  std::array<std::vector<double>, 2> records_;
};

struct Wave {
  bool shear;
  double quality;
};

class PlaneWaves : public testing::TestWithParam<Wave> {};

// Amplitude exp(-pi f x / (Q v)); speed v (f / f0)^(1 / (pi Q)) (Kjartansson 1979, eqs. 5, 8, 37).
TEST_P(PlaneWaves, DecayAndDisperse) {
  if (weft::kSanitized) {
    GTEST_SKIP() << "takes long, and passes no line of the kernels that others do not";
  }
  const auto [shear, q] = GetParam();
  const Column column(rock_with(shear ? 2 * q : q, shear ? q : 2 * q), shear);
  for (const double f : {0.4, 0.6, 0.9, 1.3, 1.8, 2.4}) {
    const double speed = column.speed() * std::pow(f / kReference, 1 / (kPi * q));
    const auto transfer = column.transfer(f);
    const double decay = kPi * f * column.distance() / (q * speed);
    EXPECT_NEAR(-std::log(std::abs(transfer)) / decay, 1, 0.05) << f << " Hz";
    EXPECT_NEAR(std::abs(transfer) / std::exp(-decay), 1, 0.035) << f << " Hz";
    // The phase is many turns: compare what is left after the expected ones.
    const double turned = 2 * kPi * f * column.distance() / speed;
    const double late = -std::arg(transfer * std::polar(1.0, turned)) / turned;
    EXPECT_NEAR(late, 0, 0.003) << f << " Hz";
  }
}

INSTANTIATE_TEST_SUITE_P(PAndS, PlaneWaves,
                         testing::Values(Wave{false, 20}, Wave{false, 50}, Wave{true, 20}, Wave{true, 50},
                                         Wave{true, 100}));

// Ghosts of a part from the whole.
void fill_ghosts(const Subdomain<float>& whole, Subdomain<float>& part, std::size_t first, std::size_t end) {
  const Layout& inner = part.state().layout;
  const Layout& outer = whole.state().layout;
  const Index3 lo = part.own().lo;
  for (int k = -kGhost; k < inner.cells[2] + kGhost; ++k) {
    for (int j = -kGhost; j < inner.cells[1] + kGhost; ++j) {
      for (int i = -kGhost; i < inner.cells[0] + kGhost; ++i) {
        const bool owned = part.own().contains({lo[0] + i, lo[1] + j, lo[2] + k});
        for (std::size_t f = first; f < end && !owned; ++f) {
          part.state().all()[f][inner.at(i, j, k)] = whole.state().all()[f][outer.at(lo[0] + i, lo[1] + j, lo[2] + k)];
        }
      }
    }
  }
}

TEST(Attenuation, HasTheSameBitsInAnyPart) {
  const Layers rock{{0, 2400, 4000, 2300, 60, 30}, {-1500, 2700, 6000, 3460, 200, 100}};
  const Model model = model_of({85, 22, 21}, 200, 0.012, 5, rock);
  const auto source = pulse_source({100, 0, -1700}, 0.7, 1e15, 0.01);
  Subdomain<float> whole(model, model.grid.box(), {source});
  // Odd corners, absorbing cells on some sides, the ground on top; cells enough for velocities behind the stresses.
  Subdomain<float> part(model, {{3, 0, 7}, {95, 19, model.grid.cells[2]}}, {source});
  ASSERT_TRUE(whole.attenuation().on());
  for (int n = 0; n < 80; ++n) {
    fill_ghosts(whole, part, 0, 3);
    whole.stress(n * 0.012);
    EXPECT_GT(part.stress_and_inner_velocity(n * 0.012).velocity, 0);
    fill_ghosts(whole, part, 3, 9);
    whole.velocity();
    part.outer_velocity();
  }
  double largest = 0;
  const Layout& inner = part.state().layout;
  for (std::size_t f = 0; f < 9; ++f) {
    for (int k = 0; k < inner.cells[2]; ++k) {
      for (int j = 0; j < inner.cells[1]; ++j) {
        const float* const mine = part.state().all()[f] + inner.at(0, j, k);
        const float* const theirs =
            whole.state().all()[f] +
            whole.state().layout.at(part.own().lo[0], j + part.own().lo[1], k + part.own().lo[2]);
        ASSERT_EQ(std::memcmp(mine, theirs, sizeof(float) * static_cast<std::size_t>(inner.cells[0])), 0)
            << "field " << f << " row " << j << " level " << k;
        largest = std::max(largest, static_cast<double>(std::abs(mine[45])));
      }
    }
  }
  EXPECT_GT(largest, 0);
}

TEST(Attenuation, LeavesTheAbsorbingLayersStable) {
  if (weft::kSanitized) {
    GTEST_SKIP() << "takes long, and passes no line of the kernels that others do not";
  }
  const Model model = model_of({24, 24, 20}, 200, 0.012, 10, rock_with(40, 20));
  Subdomain<float> domain(model, model.grid.box(), {pulse_source({0, 0, -2000}, 0.7, 1e15, 0.01)});
  const auto largest = [&] {
    float most = 0;
    const auto& state = domain.state();
    for (int k = 0; k < state.layout.cells[2]; ++k) {
      const float* const row = state.velocity[2] + state.layout.at(0, 20, k);
      most = std::max(most, *std::max_element(row, row + state.layout.cells[0]));
    }
    return static_cast<double>(most);
  };
  double most = 0;
  for (int n = 0; n < 500; ++n) {
    step(domain, n * 0.012);
    most = std::max(most, n % 20 == 0 ? largest() : 0);
  }
  // The waves have gone; what creeps on goes as slowly as the slowest mechanism relaxes.
  const double soon = largest();
  EXPECT_LT(soon, 0.01 * most);
  for (int n = 500; n < 900; ++n) {
    step(domain, n * 0.012);
  }
  EXPECT_LT(largest(), soon);
}

}  // namespace
}  // namespace ondes3d
