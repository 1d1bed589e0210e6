#include "pictures/sheet.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#ifdef __SANITIZE_ADDRESS__
// Some patterns that Cairo 1.16 has from fontconfig are never freed: a few hundred bytes, however much is drawn.
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions();
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_options();
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
#endif

namespace ondes3d {
namespace {

constexpr double kPixel = 0.75;              // in points
constexpr double kFileDensity = 2;           // dots per pixel of rasters in PDF and SVG
constexpr const char* kFont = "sans-serif";  // fontconfig's choice

[[noreturn]] void fail(const std::string& path, cairo_status_t status) {
  throw std::runtime_error(path + ": cannot be written: " + cairo_status_to_string(status));
}

// Bytes of a well-formed UTF-8 character at the begin of `text`; 0: none.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t n) { return static_cast<unsigned char>(text[n]); };
  const std::size_t size = byte(0) < 0x80   ? 1
                           : byte(0) < 0xc2 ? 0
                           : byte(0) < 0xe0 ? 2
                           : byte(0) < 0xf0 ? 3
                           : byte(0) < 0xf5 ? 4
                                            : 0;
  if (size == 0 || size > text.size() || byte(0) < 0x20 || byte(0) == 0x7f) {
    return 0;
  }
  for (std::size_t n = 1; n < size; ++n) {
    if (byte(n) < 0x80 || byte(n) > 0xbf) {
      return 0;
    }
  }
  // Overlong forms, surrogates, beyond Unicode.
  const bool odd = size > 2 && ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) > 0x9f) ||
                                (byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) > 0x8f));
  return odd ? 0 : size;
}

// Cairo draws nothing at all any more after text that is no UTF-8, as names of an old file may be.
std::string as_utf8(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t size = character(text);
    clean += size > 0 ? text.substr(0, size) : "?";
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return clean;
}

// Text is equally wide in all formats: glyphs are not fitted to dots.
void use_font(cairo_t* context, double size) {
  cairo_select_font_face(context, kFont, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, size);
  cairo_font_options_t* const options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(context, options);
  cairo_font_options_destroy(options);
}

double width_of(cairo_t* context, const std::string& clean) {
  cairo_text_extents_t extents;
  cairo_text_extents(context, clean.c_str(), &extents);
  return extents.x_advance;
}

double before(double width, Align align) {
  return align == Align::kLeft ? 0 : align == Align::kCentre ? width / 2 : width;
}

Area box_of(Point at, double width, const TextStyle& style) {
  const double back = before(width, style.align);
  return style.upwards
             ? Area{{at.x - kAscent * style.size, at.y + back - width}, (kAscent + kDescent) * style.size, width}
             : Area{{at.x - back, at.y - kAscent * style.size}, width, (kAscent + kDescent) * style.size};
}

}  // namespace

Sheet::Sheet(Extent size, double scale)
    : size_(size),
      density_(scale),
      is_image_(true),
      surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(size.width * scale)),
                                          static_cast<int>(std::ceil(size.height * scale)))) {
  begin("a picture");
  cairo_scale(context_.get(), scale, scale);
}

Sheet::Sheet(Extent size, PictureFormat format, const std::string& path)
    : size_(size),
      density_(kFileDensity),
      is_image_(false),
      surface_(format == PictureFormat::kPdf
                   ? cairo_pdf_surface_create(path.c_str(), kPixel * size.width, kPixel * size.height)
                   : cairo_svg_surface_create(path.c_str(), kPixel * size.width, kPixel * size.height)) {
  begin(path);
  if (format == PictureFormat::kPdf) {
    // The same bytes for the same run.
    cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
  }
  cairo_scale(context_.get(), kPixel, kPixel);
}

void Sheet::begin(const std::string& path) {
  if (const cairo_status_t status = cairo_surface_status(surface_.get()); status != CAIRO_STATUS_SUCCESS) {
    fail(path, status);
  }
  context_.reset(cairo_create(surface_.get()));
  set(kPaper);
  cairo_paint(context_.get());
  cairo_set_line_join(context_.get(), CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(context_.get(), CAIRO_LINE_CAP_ROUND);
}

void Sheet::set(Colour colour) { cairo_set_source_rgb(context_.get(), colour.red, colour.green, colour.blue); }

void Sheet::text(Point at, std::string_view words, const TextStyle& style) {
  cairo_t* const context = context_.get();
  const std::string clean = as_utf8(words);
  use_font(context, style.size);
  const double width = width_of(context, clean);
  cairo_save(context);
  cairo_translate(context, at.x, at.y);
  if (style.upwards) {
    cairo_rotate(context, -std::numbers::pi / 2);
  }
  cairo_move_to(context, -before(width, style.align), 0);
  if (style.halo) {
    cairo_text_path(context, clean.c_str());
    set(kPaper);
    cairo_set_line_width(context, style.size / 4);
    cairo_stroke(context);
    cairo_move_to(context, -before(width, style.align), 0);
  }
  set(style.colour);
  cairo_show_text(context, clean.c_str());
  cairo_restore(context);
  words_.push_back(box_of(at, width, style));
}

void Sheet::trace(std::span<const Point> points) {
  cairo_new_path(context_.get());
  for (const Point& p : points) {
    cairo_line_to(context_.get(), p.x, p.y);
  }
}

void Sheet::polyline(std::span<const Point> points, Colour colour, double thickness) {
  trace(points);
  set(colour);
  cairo_set_line_width(context_.get(), thickness);
  cairo_stroke(context_.get());
}

void Sheet::segment(const Segment& line, Colour colour, double thickness, bool dashed) {
  const double dash = 3;
  cairo_set_dash(context_.get(), &dash, dashed ? 1 : 0, 0);
  polyline(std::array{line.from, line.to}, colour, thickness);
  cairo_set_dash(context_.get(), nullptr, 0, 0);
}

void Sheet::polygon(std::span<const Point> corners, Colour fill, Colour rim) {
  trace(corners);
  cairo_close_path(context_.get());
  set(fill);
  cairo_fill_preserve(context_.get());
  set(rim);
  cairo_set_line_width(context_.get(), 1.2);
  cairo_stroke(context_.get());
}

void Sheet::frame(const Area& area, Colour colour) {
  cairo_new_path(context_.get());
  cairo_rectangle(context_.get(), area.corner.x, area.corner.y, area.width, area.height);
  set(colour);
  cairo_set_line_width(context_.get(), 1);
  cairo_stroke(context_.get());
}

void Sheet::raster(const Area& area, const std::vector<std::uint32_t>& pixels, int columns) {
  const int rows = static_cast<int>(pixels.size()) / columns;
  const std::unique_ptr<cairo_surface_t, Free> image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns, rows));
  cairo_surface_flush(image.get());
  const std::size_t stride = static_cast<std::size_t>(cairo_image_surface_get_stride(image.get()));
  unsigned char* const bytes = cairo_image_surface_get_data(image.get());
  for (int row = 0; row < rows; ++row) {
    const auto from = pixels.begin() + static_cast<std::ptrdiff_t>(row) * columns;
    std::copy(from, from + columns, reinterpret_cast<std::uint32_t*>(bytes + static_cast<std::size_t>(row) * stride));
  }
  cairo_surface_mark_dirty(image.get());
  cairo_t* const context = context_.get();
  cairo_save(context);
  cairo_rectangle(context, area.corner.x, area.corner.y, area.width, area.height);
  cairo_clip(context);
  cairo_translate(context, area.corner.x, area.corner.y);
  cairo_scale(context, area.width / columns, area.height / rows);
  cairo_set_source_surface(context, image.get(), 0, 0);
  // Beyond its rim the image goes on, else paper would show through there.
  cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD);
  cairo_paint(context);
  cairo_restore(context);
}

Sheet::Pixels Sheet::pixels() {
  cairo_surface_flush(surface_.get());
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface_.get())) / sizeof(std::uint32_t);
  const auto rows = static_cast<std::size_t>(cairo_image_surface_get_height(surface_.get()));
  return {{reinterpret_cast<const std::uint32_t*>(cairo_image_surface_get_data(surface_.get())), stride * rows},
          stride};
}

void Sheet::finish(const std::string& path) {
  cairo_status_t status = cairo_status(context_.get());
  if (status == CAIRO_STATUS_SUCCESS && is_image_) {
    status = cairo_surface_write_to_png(surface_.get(), path.c_str());
  } else if (status == CAIRO_STATUS_SUCCESS) {
    cairo_show_page(context_.get());
    cairo_surface_finish(surface_.get());
    status = cairo_surface_status(surface_.get());
  }
  if (status != CAIRO_STATUS_SUCCESS) {
    fail(path, status);
  }
}

double text_width(std::string_view words, double size) {
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1), &cairo_surface_destroy);
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> context(cairo_create(surface.get()), &cairo_destroy);
  use_font(context.get(), size);
  return width_of(context.get(), as_utf8(words));
}

Area text_box(Point at, std::string_view words, const TextStyle& style) {
  return box_of(at, text_width(words, style.size), style);
}

void write_picture(const Picture& picture, const std::string& path, PictureFormat format, double dots_per_inch) {
  Sheet sheet =
      format == PictureFormat::kPng ? Sheet(picture.size, dots_per_inch / 96) : Sheet(picture.size, format, path);
  picture.draw(sheet);
  sheet.finish(path);
}

}  // namespace ondes3d
