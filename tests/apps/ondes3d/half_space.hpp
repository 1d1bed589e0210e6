// Motion of the ground above a buried point source in a homogeneous half-space, by summing plane waves: an answer that
// owes nothing to differences on a grid (Bouchon & Aki 1977: a lattice of wavenumbers, complex frequencies).
#pragma once

#include <functional>

#include "alone.hpp"
#include "complex_solve.hpp"

namespace ondes3d {

using ComplexVec3 = ComplexVector<3>;

struct HalfSpace {
  Layer rock;
  MomentTensor moment;
  double depth;    // m
  Vec3 offset;     // from the epicentre to the station, m
  double seconds;  // the answer holds until then

  // Velocity at the times of `steps` steps, the first at dt, for the moment rate `rate`, which lasts `duration`.
  [[nodiscard]] std::vector<Vec3> velocity(const std::function<double(double)>& rate, double duration, double dt,
                                           int steps) const;

 private:
  // Displacement per unit moment at one horizontal wavenumber and one frequency.
  [[nodiscard]] ComplexVec3 ground(double kx, double ky, Complex frequency) const;
  [[nodiscard]] ComplexVec3 sum_of_plane_waves(Complex frequency) const;
  [[nodiscard]] ComplexVec3 force(const ComplexVec3& k) const;
  [[nodiscard]] ComplexVec3 traction(const ComplexVec3& k, const ComplexVec3& u) const;
};

inline Complex dot(const ComplexVec3& a, const ComplexVec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// What a moment tensor is to a plane wave: f = -i M k.
inline ComplexVec3 HalfSpace::force(const ComplexVec3& k) const {
  ComplexVec3 f{};
  for (std::size_t p = 0; p < 3; ++p) {
    for (std::size_t q = 0; q < 3; ++q) {
      f[p] -= kI * (p == q ? moment.normal[p] : moment.shear[3 - p - q]) * k[q];
    }
  }
  return f;
}

// Of a plane wave on a horizontal plane.
inline ComplexVec3 HalfSpace::traction(const ComplexVec3& k, const ComplexVec3& u) const {
  const double mu = rock.rho * rock.vs * rock.vs;
  const double lambda = rock.rho * rock.vp * rock.vp - 2 * mu;
  ComplexVec3 t{};
  for (std::size_t d = 0; d < 3; ++d) {
    t[d] = kI * mu * (k[d] * u[2] + k[2] * u[d]);
  }
  t[2] += kI * lambda * dot(k, u);
  return t;
}

inline ComplexVec3 HalfSpace::ground(double kx, double ky, Complex w) const {
  const auto rising = [&](double speed) {
    const Complex root = std::sqrt(w * w / (speed * speed) - kx * kx - ky * ky);
    return root.imag() < 0 ? -root : root;
  };
  const Complex p = rising(rock.vp);
  const Complex s = rising(rock.vs);
  const ComplexVec3 kp{kx, ky, p};
  const ComplexVec3 ks{kx, ky, s};
  // Green's tensor of the full space as plane waves (Weyl's integral): k k for P, (w/b)^2 - k k for S.
  const ComplexVec3 fp = force(kp);
  const ComplexVec3 fs = force(ks);
  const Complex scale = kI / (2 * rock.rho * w * w);
  const Complex of_p = scale / p * std::exp(kI * p * depth);
  const Complex of_s = scale / s * std::exp(kI * s * depth);
  ComplexVec3 up_p{}, up_s{};
  for (std::size_t d = 0; d < 3; ++d) {
    up_p[d] = of_p * kp[d] * dot(kp, fp);
    up_s[d] = of_s * (w * w / (rock.vs * rock.vs) * fs[d] - ks[d] * dot(ks, fs));
  }
  // What comes back leaves the ground without traction: P, SH, SV downwards.
  const ComplexVec3 down_p{kx, ky, -p};
  const ComplexVec3 down_s{kx, ky, -s};
  const std::array<ComplexVec3, 3> motion{down_p, {ky, -kx, 0}, {kx * s, ky * s, kx * kx + ky * ky}};
  const ComplexVec3 pull_p = traction(kp, up_p);
  const ComplexVec3 pull_s = traction(ks, up_s);
  ComplexMatrix<3> rows{};
  ComplexVec3 missing{};
  for (std::size_t c = 0; c < 3; ++c) {
    const ComplexVec3 t = traction(c == 0 ? down_p : down_s, motion[c]);
    for (std::size_t d = 0; d < 3; ++d) {
      rows[d][c] = t[d];
      missing[d] = -pull_p[d] - pull_s[d];
    }
  }
  const ComplexVec3 amplitude = solve<3>(rows, missing);
  ComplexVec3 u{};
  for (std::size_t d = 0; d < 3; ++d) {
    u[d] = up_p[d] + up_s[d];
    for (std::size_t c = 0; c < 3; ++c) {
      u[d] += amplitude[c] * motion[c][d];
    }
  }
  return u;
}

inline ComplexVec3 HalfSpace::sum_of_plane_waves(Complex frequency) const {
  // The lattice repeats the source this far away: its P comes too late. Wavenumbers above the last one die on their way
  // up from the source.
  const double period = 1.05 * (rock.vp * seconds + std::hypot(offset[0], offset[1]));
  const double apart = 2 * std::numbers::pi / period;
  const double last = std::hypot(14 / depth, frequency.real() / rock.vs);
  const int reach = static_cast<int>(last / apart);
  ComplexVec3 sum{};
  for (int m = -reach; m < reach; ++m) {
    for (int n = -reach; n < reach; ++n) {
      const double kx = (m + 0.5) * apart;
      const double ky = (n + 0.5) * apart;
      if (std::hypot(kx, ky) < last) {
        const Complex turn = std::exp(kI * (kx * offset[0] + ky * offset[1]));
        const ComplexVec3 u = ground(kx, ky, frequency);
        for (std::size_t d = 0; d < 3; ++d) {
          sum[d] += u[d] * turn / (period * period);
        }
      }
    }
  }
  return sum;
}

inline std::vector<Vec3> HalfSpace::velocity(const std::function<double(double)>& rate, double duration, double dt,
                                             int steps) const {
  const double window = 2 * seconds;
  const double apart = 2 * std::numbers::pi / window;
  const double decay = 10 / window;  // what wraps around in time is 1e-4 of itself
  const double last = 2 * std::numbers::pi * 5 / duration;
  std::vector<Vec3> velocity(static_cast<std::size_t>(steps), Vec3{});
  for (double real = apart / 2; real < last; real += apart) {
    const Complex w = real + kI * decay;
    constexpr int kParts = 600;
    Complex spectrum = 0;
    for (int n = 0; n < kParts; ++n) {
      const double t = (n + 0.5) * duration / kParts;
      spectrum += rate(t) * std::exp(kI * w * t) * duration / static_cast<double>(kParts);
    }
    const ComplexVec3 answer = sum_of_plane_waves(w);
    for (int n = 0; n < steps; ++n) {
      const Complex turn = spectrum * std::exp(-kI * w * ((n + 1) * dt)) * apart / std::numbers::pi;
      for (std::size_t d = 0; d < 3; ++d) {
        velocity[static_cast<std::size_t>(n)][d] += (answer[d] * turn).real();
      }
    }
  }
  return velocity;
}

}  // namespace ondes3d
