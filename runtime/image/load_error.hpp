// What the loader throws: one line that names the file, what was found and what to do.
#pragma once

#include <stdexcept>

namespace weft::image {

struct LoadError : std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace weft::image
