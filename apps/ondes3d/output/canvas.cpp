#include "output/canvas.hpp"

#include <algorithm>
#include <cmath>

#include "output/stroke_font.hpp"

namespace ondes3d {
namespace {

double distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length = dx * dx + dy * dy;
  const double along = length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

template <std::size_t kStops>
Colour between(const std::array<Colour, kStops>& stops, double value) {
  const double at = std::clamp(value, 0.0, 1.0) * (kStops - 1);
  const std::size_t n = std::min(static_cast<std::size_t>(at), kStops - 2);
  const double share = at - static_cast<double>(n);
  const auto mix = [&](double a, double b) { return a + share * (b - a); };
  return {mix(stops[n].red, stops[n + 1].red), mix(stops[n].green, stops[n + 1].green),
          mix(stops[n].blue, stops[n + 1].blue)};
}

}  // namespace

Canvas::Canvas(int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), Colour{1, 1, 1}) {}

std::vector<std::uint8_t> Canvas::bytes() const {
  std::vector<std::uint8_t> all;
  all.reserve(3 * pixels_.size());
  for (const Colour& pixel : pixels_) {
    for (const double part : {pixel.red, pixel.green, pixel.blue}) {
      all.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(part, 0.0, 1.0))));
    }
  }
  return all;
}

void Canvas::blend(int x, int y, Colour colour, double share) {
  if (x < 0 || x >= width_ || y < 0 || y >= height_ || share <= 0) {
    return;
  }
  Colour& pixel = pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)];
  pixel.red += share * (colour.red - pixel.red);
  pixel.green += share * (colour.green - pixel.green);
  pixel.blue += share * (colour.blue - pixel.blue);
}

void Canvas::set(int x, int y, Colour colour) { blend(x, y, colour, 1); }

void Canvas::line(Point from, Point to, Colour colour, double thickness) {
  const double reach = thickness / 2 + 1;
  const int x0 = static_cast<int>(std::floor(std::min(from.x, to.x) - reach));
  const int x1 = static_cast<int>(std::ceil(std::max(from.x, to.x) + reach));
  const int y0 = static_cast<int>(std::floor(std::min(from.y, to.y) - reach));
  const int y1 = static_cast<int>(std::ceil(std::max(from.y, to.y) + reach));
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) {
      const double away = distance({x + 0.5, y + 0.5}, from, to);
      blend(x, y, colour, std::clamp(thickness / 2 + 0.5 - away, 0.0, 1.0));
    }
  }
}

void Canvas::polyline(const std::vector<Point>& points, Colour colour, double thickness) {
  for (std::size_t n = 1; n < points.size(); ++n) {
    line(points[n - 1], points[n], colour, thickness);
  }
}

void Canvas::frame(const Area& area, Colour colour) {
  const Point a = area.corner, b{area.right(), a.y}, c{b.x, area.bottom()}, d{a.x, c.y};
  polyline({a, b, c, d, a}, colour, 1);
}

void Canvas::text(Point at, std::string_view words, double size, Align align, Colour colour) {
  const double unit = size / kCapital;
  const double width = text_width(words, size);
  double x = at.x - (align == Align::kLeft ? 0 : align == Align::kCentre ? width / 2 : width);
  for (const char letter : words) {
    for (const auto& stroke : glyph(letter)) {
      for (std::size_t n = 1; n < stroke.size(); ++n) {
        line({x + unit * stroke[n - 1].x, at.y - unit * stroke[n - 1].y},
             {x + unit * stroke[n].x, at.y - unit * stroke[n].y}, colour, std::max(1.0, size / 8));
      }
    }
    x += unit * kAdvance;
  }
}

double text_width(std::string_view words, double size) {
  return words.empty() ? 0 : size / kCapital * (kAdvance * static_cast<double>(words.size()) - kGap);
}

Colour heat(double value) {
  static constexpr std::array<Colour, 6> kStops{
      {{1, 1, 0.97}, {1, 0.90, 0.60}, {0.99, 0.65, 0.30}, {0.89, 0.30, 0.20}, {0.60, 0.10, 0.30}, {0.20, 0.03, 0.25}}};
  return between(kStops, value);
}

Colour polarity(double value) {
  static constexpr std::array<Colour, 5> kStops{
      {{0.05, 0.16, 0.45}, {0.35, 0.60, 0.85}, {0.98, 0.98, 0.97}, {0.93, 0.50, 0.35}, {0.50, 0.02, 0.12}}};
  return between(kStops, (value + 1) / 2);
}

}  // namespace ondes3d
