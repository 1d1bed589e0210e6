// The atoms of mol3d: where they begin and how they attract each other.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace mol3d {

using Vec3 = std::array<double, 3>;

struct Options {
  int side = 12;  // lattice sites along an edge of the cube
  int steps = 50;
  int migrate_every = 10;
  int thin = 100;  // per cent of the eastern half's sites that hold an atom
  int verify = 1;
};

inline constexpr double kCutoff = 2.5;
inline constexpr double kTimestep = 0.002;
inline constexpr double kSpacing = 1.0772;  // of sites: 0.8 atoms per unit of volume

// Sent as seven doubles; the force stays where it is computed.
struct Atom {
  Vec3 at{};
  Vec3 velocity{};
  double id = 0;
};
inline constexpr int kDoubles = 7;
static_assert(sizeof(Atom) == kDoubles * sizeof(double));

// The same number in [0, 1) for the same n (Steele et al. 2014, splitmix64).
inline double noise(unsigned long long n) {
  n = (n + 1) * 0x9E3779B97F4A7C15ULL;
  n = (n ^ (n >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  n = (n ^ (n >> 27U)) * 0x94D049BB133111EBULL;
  return static_cast<double>((n ^ (n >> 31U)) >> 11U) * 0x1p-53;
}

// All atoms of the cube whose site passes inside(position).
template <typename Inside>
std::vector<Atom> atoms_in(const Options& o, const Inside& inside) {
  std::vector<Atom> atoms;
  unsigned long long site = 0;
  for (int z = 0; z < o.side; ++z) {
    for (int y = 0; y < o.side; ++y) {
      for (int x = 0; x < o.side; ++x, ++site) {
        Atom atom{{(x + 0.5) * kSpacing, (y + 0.5) * kSpacing, (z + 0.5) * kSpacing}, {}, static_cast<double>(site)};
        const bool empty = 2 * x >= o.side && noise(7 * site + 6) * 100 >= o.thin;
        if (empty || !inside(atom.at)) {
          continue;
        }
        for (unsigned d = 0; d < 3; ++d) {
          atom.at[d] += 0.1 * (noise(7 * site + d) - 0.5);
          atom.velocity[d] = 3 * (noise(7 * site + 3 + d) - 0.5);
        }
        atoms.push_back(atom);
      }
    }
  }
  return atoms;
}

// Adds to `force` what the atom at distance `apart` exerts: Lennard-Jones, shifted so that it ends at the cutoff.
inline void attract(const Vec3& apart, Vec3& force) {
  const double r2 = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
  if (r2 >= kCutoff * kCutoff) {
    return;
  }
  const auto pull = [](double square) {  // -u'(r) / r
    const double i2 = 1 / square, i6 = i2 * i2 * i2;
    return 24 * i2 * i6 * (2 * i6 - 1);
  };
  constexpr double last = pull(kCutoff * kCutoff) * kCutoff;
  const double f = pull(r2) - last / std::sqrt(r2);
  for (std::size_t d = 0; d < 3; ++d) {
    force[d] += f * apart[d];
  }
}

}  // namespace mol3d
