// A page to draw on, by Cairo: an image in memory, or a PDF or SVG file. Coordinates in pixels of 1/96 inch.
#pragma once

#include <cairo.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "output/picture_formats.hpp"
#include "pictures/colour.hpp"
#include "pictures/geometry.hpp"

namespace ondes3d {

enum class Align { kLeft, kCentre, kRight };

struct TextStyle {
  double size = 12;  // of the em
  Align align = Align::kLeft;
  Colour colour = kInk;
  bool upwards = false;  // turned by a quarter: reads from bottom to top
  bool halo = false;     // with a rim of paper, to be read on dark colours
};

class Sheet {
 public:
  // An image of `scale` dots per pixel.
  Sheet(Extent size, double scale);
  // A file; `format` is PDF or SVG. Throws std::runtime_error when it cannot be written, here or in finish().
  Sheet(Extent size, PictureFormat format, const std::string& path);

  [[nodiscard]] double width() const { return size_.width; }
  [[nodiscard]] double height() const { return size_.height; }
  // Dots per pixel that a raster should have.
  [[nodiscard]] double density() const { return density_; }

  // `at` is the left end, middle or right end of the baseline. Bytes that are no UTF-8 show as question marks.
  void text(Point at, std::string_view words, const TextStyle& style = {});
  void polyline(std::span<const Point> points, Colour colour, double thickness);
  void segment(const Segment& line, Colour colour, double thickness, bool dashed = false);
  void polygon(std::span<const Point> corners, Colour fill, Colour rim);
  void frame(const Area& area, Colour colour);
  // `pixels` are 0xRRGGBB, rows from the top, `columns` to a row.
  void raster(const Area& area, const std::vector<std::uint32_t>& pixels, int columns);

  // Where all text lies so far.
  [[nodiscard]] const std::vector<Area>& words() const { return words_; }

  // Of an image: 0xXXRRGGBB, and how many of them make a row.
  struct Pixels {
    std::span<const std::uint32_t> dots;
    std::size_t columns = 0;
  };
  [[nodiscard]] Pixels pixels();
  // Writes the PNG file of an image, or the rest of another file.
  void finish(const std::string& path);

 private:
  struct Free {
    void operator()(cairo_t* context) const { cairo_destroy(context); }
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  };
  void begin(const std::string& path);
  void set(Colour colour);
  void trace(std::span<const Point> points);

  Extent size_;
  double density_;
  bool is_image_;
  std::unique_ptr<cairo_surface_t, Free> surface_;
  std::unique_ptr<cairo_t, Free> context_;
  std::vector<Area> words_;
};

// How wide and how high a line of text is, from the top of capitals and accents to below the line.
[[nodiscard]] double text_width(std::string_view words, double size);
// The box of such a text.
[[nodiscard]] Area text_box(Point at, std::string_view words, const TextStyle& style);
inline constexpr double kAscent = 0.78, kDescent = 0.22;  // of the em

// A page that has yet to be drawn.
struct Picture {
  std::string stem;  // of its files' names
  Extent size;
  std::function<void(Sheet&)> draw;
};

// Throws std::runtime_error when it cannot be written. `dots_per_inch` is that of PNG.
void write_picture(const Picture& picture, const std::string& path, PictureFormat format, double dots_per_inch);

}  // namespace ondes3d
