#include "output/axis.hpp"

#include <cmath>
#include <cstdio>

namespace ondes3d {
namespace {

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", std::abs(value) < 1e-12 ? 0.0 : value);
  return text.data();
}

}  // namespace

double round_step(AxisRange range, int wanted) {
  const double rough = (range.high - range.low) / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) {
      return factor * power;
    }
  }
  return 10 * power;
}

void horizontal_axis(Canvas& canvas, const Area& plot, AxisRange range, std::string_view name) {
  const double step = round_step(range, 6);
  for (double n = std::ceil(range.low / step); n * step <= range.high * (1 + 1e-9); ++n) {
    const double x = plot.corner.x + plot.width * (n * step - range.low) / (range.high - range.low);
    canvas.line({x, plot.corner.y}, {x, plot.bottom()}, kFaint, 1);
    canvas.text({x, plot.bottom() + 17}, number(n * step), 8, Align::kCentre);
  }
  canvas.text({plot.corner.x + plot.width / 2, plot.bottom() + 38}, name, 9, Align::kCentre);
}

void vertical_axis(Canvas& canvas, const Area& plot, AxisRange range, std::string_view name) {
  const Point corner = plot.corner;
  const double step = round_step(range, 6);
  for (double n = std::ceil(range.low / step); n * step <= range.high * (1 + 1e-9); ++n) {
    const double y = corner.y + plot.height * (range.high - n * step) / (range.high - range.low);
    canvas.line({corner.x - 4, y}, {corner.x, y}, kInk, 1);
    canvas.text({corner.x - 8, y + 4}, number(n * step), 8, Align::kRight);
  }
  canvas.text({corner.x - 30, corner.y - 12}, name, 9);
}

}  // namespace ondes3d
