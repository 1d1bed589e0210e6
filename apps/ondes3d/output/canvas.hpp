// A picture to draw on: smooth lines, text in strokes, boxes, images.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ondes3d {

struct Colour {
  double red = 0, green = 0, blue = 0;  // 0 to 1
};

struct Point {
  double x = 0, y = 0;  // pixels, y downwards
};

// The part of a canvas that a plot or a bar of colours fills.
struct Area {
  Point corner;  // the upper left one
  double width = 0, height = 0;

  [[nodiscard]] double right() const { return corner.x + width; }
  [[nodiscard]] double bottom() const { return corner.y + height; }
};

inline constexpr Colour kInk{0.13, 0.14, 0.17};
inline constexpr Colour kFaint{0.82, 0.83, 0.85};

enum class Align { kLeft, kCentre, kRight };

class Canvas {
 public:
  Canvas(int width, int height);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  // Rows from the top, red green blue, one byte each.
  [[nodiscard]] std::vector<std::uint8_t> bytes() const;

  void set(int x, int y, Colour colour);
  void line(Point from, Point to, Colour colour, double thickness);
  void polyline(const std::vector<Point>& points, Colour colour, double thickness);
  void frame(const Area& area, Colour colour);
  // `at` is the left end, middle or right end of the baseline; `size` the height of a capital letter in pixels.
  void text(Point at, std::string_view words, double size, Align align = Align::kLeft, Colour colour = kInk);

 private:
  void blend(int x, int y, Colour colour, double share);
  int width_;
  int height_;
  std::vector<Colour> pixels_;
};

[[nodiscard]] double text_width(std::string_view words, double size);

// Colours for 0..1: from white over orange to near black; and for -1..1: blue, white, red.
[[nodiscard]] Colour heat(double value);
[[nodiscard]] Colour polarity(double value);

// Throws std::runtime_error when the file cannot be written.
void write_png(const std::string& path, const Canvas& canvas);
// False when the program was built without libpng.
[[nodiscard]] bool can_write_png();

}  // namespace ondes3d
