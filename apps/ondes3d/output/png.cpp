#include <stdexcept>

#include "output/canvas.hpp"

#ifdef ONDES3D_PNG
#include <png.h>
#endif

namespace ondes3d {

#ifdef ONDES3D_PNG

bool can_write_png() { return true; }

void write_png(const std::string& path, const Canvas& canvas) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(canvas.width());
  image.height = static_cast<png_uint_32>(canvas.height());
  image.format = PNG_FORMAT_RGB;
  const auto bytes = canvas.bytes();
  if (png_image_write_to_file(&image, path.c_str(), 0, bytes.data(), 0, nullptr) == 0) {
    throw std::runtime_error(path + ": " + image.message);
  }
}

#else

bool can_write_png() { return false; }

void write_png(const std::string& path, const Canvas&) {
  throw std::runtime_error(path + ": this build has no libpng");
}

#endif

}  // namespace ondes3d
