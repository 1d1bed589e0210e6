#include "pictures/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "output/out_file.hpp"

namespace ondes3d {
namespace {

std::string with_minus(std::string text) {
  if (text.starts_with('-')) {
    text.replace(0, 1, "\u2212");
  }
  return text;
}

struct Step {
  double size = 1;
  int decimals = 0;
};

// The n-th step, counted from that of 1: 1, 2, 2.5, 5, 10, 20, ...
Step step_of(int n) {
  constexpr std::array<double, 4> kFactors{1, 2, 2.5, 5};
  const int exponent = n >= 0 ? n / 4 : (n - 3) / 4;
  const double factor = kFactors[static_cast<std::size_t>(n - 4 * exponent)];
  return {factor * std::pow(10.0, exponent), std::max(0, -exponent + (factor == 2.5 ? 1 : 0))};
}

}  // namespace

std::string Ticks::label(std::size_t n) const { return number_text(values[n], decimals); }

Ticks round_ticks(AxisRange range, int most) {
  const double length = range.high - range.low;
  Ticks ticks;
  if (!(length > 0) || most < 2) {
    return ticks;
  }
  // From a step that is surely too small to the first one that is not.
  int n = 4 * static_cast<int>(std::floor(std::log10(length / (most + 1))));
  double first = 0;
  double last = 0;
  Step step;
  do {
    step = step_of(n++);
    first = std::ceil(range.low / step.size - 1e-9);
    last = std::floor(range.high / step.size + 1e-9);
  } while (last - first + 1 > most);
  for (double m = first; m <= last; ++m) {
    ticks.values.push_back(m == 0 ? 0 : m * step.size);
  }
  ticks.decimals = step.decimals;
  return ticks;
}

Ticks symmetric_ticks(double end, int most) {
  for (int each = std::min(5, (most - 1) / 2); each > 1; --each) {
    const double wanted = end / each;
    const int power = 4 * static_cast<int>(std::floor(std::log10(wanted) + 1e-9));
    for (int n = power; n < power + 4; ++n) {
      const Step step = step_of(n);
      if (std::abs(step.size - wanted) < 1e-6 * wanted) {
        Ticks ticks{{}, step.decimals};
        for (int m = -each; m <= each; ++m) {
          ticks.values.push_back(m * step.size);
        }
        return ticks;
      }
    }
  }
  const int power = static_cast<int>(std::floor(std::log10(end) + 1e-9));
  return {{-end, 0, end}, std::max(0, 1 - power)};
}

double round_up(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (factor * power >= value * (1 - 1e-9)) {
      return factor * power;
    }
  }
  return 10 * power;
}

std::string number_text(double value, int decimals) {
  const bool plain = decimals <= 6 && std::abs(value) < 1e7;
  return with_minus(plain ? format("%.*f", decimals, value) : format("%.4g", value));
}

std::string number_text(double value) { return with_minus(format("%.4g", value)); }

}  // namespace ondes3d
