// Reflections at every angle: one wavenumber sideways and a pulse in time make a whole range of angles, which a Fourier
// transform takes apart into plane waves that rise and that fall.
#pragma once

#include "complex_solve.hpp"
#include "periodic.hpp"

namespace ondes3d {

// Velocity and stress on a plane; of the section, at one wavenumber sideways and one frequency.
struct Motion {
  Complex vx, vz, szz, sxz;
};

// A plane wave exp(i (horizontal x + vertical z - frequency t)) of unit velocity, x East, z up.
struct PlaneWave {
  Layer rock;
  Complex frequency;
  double horizontal;
  Complex vertical, vx, vz;

  [[nodiscard]] Motion motion() const {
    const double mu = rock.rho * rock.vs * rock.vs;
    const double lambda = rock.rho * rock.vp * rock.vp - 2 * mu;
    const Complex dilatation = horizontal * vx + vertical * vz;
    return {vx, vz, -(lambda * dilatation + 2 * mu * vertical * vz) / frequency,
            -mu * (vertical * vx + horizontal * vz) / frequency};
  }
};

// Frequencies have a positive imaginary part: a wave fades in the direction of its travel.
inline Complex vertical_wavenumber(Complex frequency, double speed, double horizontal) {
  const Complex root = std::sqrt(frequency * frequency / (speed * speed) - horizontal * horizontal);
  return root.imag() < 0 ? -root : root;
}

// The motions point as in Aki & Richards 2002, figs. 5.5 and 5.6.
inline PlaneWave p_wave(const Layer& rock, Complex frequency, double horizontal, bool up) {
  const Complex q = vertical_wavenumber(frequency, rock.vp, horizontal) * (up ? 1.0 : -1.0);
  return {rock, frequency, horizontal, q, horizontal * rock.vp / frequency, q * rock.vp / frequency};
}
inline PlaneWave sv_wave(const Layer& rock, Complex frequency, double horizontal, bool up) {
  const Complex q = vertical_wavenumber(frequency, rock.vs, horizontal);
  const double side = up ? -horizontal : horizontal;
  return {rock, frequency, horizontal, up ? q : -q, q * rock.vs / frequency, side * rock.vs / frequency};
}

// A vertical section one wavelength wide, a source on one plane of it, a receiver on another.
struct Section {
  Layers layers;
  int cells;                // of the width
  double width, height;     // m
  double source, receiver;  // z, m
  double pulse, seconds;    // length of the pulse, of the recording
  // Imaginary part of the frequencies, 1/s: what comes late, from the rigid bottom, counts nothing.
  double decay;

  [[nodiscard]] double spacing() const { return width / cells; }
  [[nodiscard]] double timestep() const { return 0.45 * spacing() / fastest_p(layers); }
  [[nodiscard]] double wavenumber() const { return 2 * std::numbers::pi / width; }
  // Of the wave with this speed and angle from the vertical.
  [[nodiscard]] Complex frequency(double speed, double degrees) const {
    return wavenumber() * speed / std::sin(degrees * std::numbers::pi / 180) + kI * decay;
  }
};

enum class Burst { kExplosion, kShear };

// What passes the receiver's plane, for each of the frequencies.
inline std::vector<Motion> record(const Section& s, Burst burst, const std::vector<Complex>& frequencies) {
  const double dt = s.timestep();
  Periodic section(columns_of({s.cells, 1, static_cast<int>(s.height / s.spacing())}, s.spacing(), dt, s.layers));
  const Grid& grid = section.grid();
  const auto plane = [&](double z) { return grid.cells[2] - 1 + static_cast<int>(std::lround(z / s.spacing())); };
  const auto fields = section.state().all();
  const Layout& layout = section.state().layout;
  const auto emit = [&](int n) {
    const double strength = pulse(n * dt, s.pulse, 1);
    for (const std::size_t f :
         burst == Burst::kShear ? std::vector<std::size_t>{7} : std::vector<std::size_t>{3, 4, 5}) {
      for (int i = 0; i < s.cells && strength != 0; ++i) {
        const double x = place_of(grid, f, {i, 0, 0})[0];
        fields[f][layout.at(i, 0, plane(s.source))] += strength * std::cos(s.wavenumber() * x);
      }
    }
  };
  const auto project = [&](std::size_t f) {
    Complex sum = 0;
    for (int i = 0; i < s.cells; ++i) {
      const double x = place_of(grid, f, {i, 0, 0})[0];
      sum += fields[f][layout.at(i, 0, plane(s.receiver))] * std::exp(-kI * s.wavenumber() * x);
    }
    return sum;
  };
  std::vector<Motion> spectra(frequencies.size());
  for (int n = 0; n * dt < s.seconds; ++n) {
    section.step([&](State<double>&) { emit(n); });
    const Motion now{project(0), project(2), project(5), project(7)};
    for (std::size_t w = 0; w < frequencies.size(); ++w) {
      const Complex at_velocity = std::exp(kI * frequencies[w] * ((n + 1) * dt));
      const Complex at_stress = std::exp(kI * frequencies[w] * ((n + 0.5) * dt));
      spectra[w].vx += now.vx * at_velocity;
      spectra[w].vz += now.vz * at_velocity;
      spectra[w].szz += now.szz * at_stress;
      spectra[w].sxz += now.sxz * at_stress;
    }
  }
  return spectra;
}

// Amplitudes at z = `level` of the waves that pass the receiver: P and SV upwards, P and SV downwards.
inline ComplexVector<4> take_apart(const Section& s, const Layer& rock, Complex frequency, const Motion& seen,
                                   double level) {
  const double k = s.wavenumber();
  const std::array waves{p_wave(rock, frequency, k, true), sv_wave(rock, frequency, k, true),
                         p_wave(rock, frequency, k, false), sv_wave(rock, frequency, k, false)};
  const double unit = rock.rho * rock.vp;
  ComplexMatrix<4> rows{};
  for (std::size_t c = 0; c < 4; ++c) {
    const Motion m = waves[c].motion();
    // vz and sxz stand half a cell above the plane.
    const Complex whole = std::exp(kI * waves[c].vertical * (s.receiver - level));
    const Complex half = std::exp(kI * waves[c].vertical * (s.receiver + s.spacing() / 2 - level));
    rows[0][c] = m.vx * whole;
    rows[1][c] = m.vz * half;
    rows[2][c] = m.szz * whole / unit;
    rows[3][c] = m.sxz * half / unit;
  }
  return solve<4>(rows, {seen.vx, seen.vz, seen.szz / unit, seen.sxz / unit});
}

// The same in the sea: P upwards, P downwards.
inline ComplexVector<2> take_apart_in_sea(const Section& s, const Layer& sea, Complex frequency, const Motion& seen,
                                          double level) {
  const double unit = sea.rho * sea.vp;
  ComplexMatrix<2> rows{};
  for (const std::size_t c : {0U, 1U}) {
    const PlaneWave wave = p_wave(sea, frequency, s.wavenumber(), c == 0);
    rows[0][c] = wave.vz * std::exp(kI * wave.vertical * (s.receiver + s.spacing() / 2 - level));
    rows[1][c] = wave.motion().szz * std::exp(kI * wave.vertical * (s.receiver - level)) / unit;
  }
  return solve<2>(rows, {seen.vz, seen.szz / unit});
}

// Reflection coefficients of displacement, the incident wave first.
struct Coefficients {
  Complex pp, ps, sp, ss;
};

// From two recordings with different shares of P and SV; `from_below` tells on which side the incident waves are.
inline Coefficients reflection(const ComplexVector<4>& one, const ComplexVector<4>& other, bool from_below) {
  const std::size_t in = from_below ? 0 : 2;
  const std::size_t out = 2 - in;
  const ComplexMatrix<2> incident{{{one[in], one[in + 1]}, {other[in], other[in + 1]}}};
  const auto to_p = solve<2>(incident, {one[out], other[out]});
  const auto to_s = solve<2>(incident, {one[out + 1], other[out + 1]});
  return {to_p[0], to_s[0], to_p[1], to_s[1]};
}

}  // namespace ondes3d
