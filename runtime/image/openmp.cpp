#include "runtime/image/openmp.hpp"

#include <dlfcn.h>

#include <array>

namespace weft::image {

OpenmpLevel find_openmp_level() {
  for (const char* const library : std::array{"libgomp.so.1", "libomp.so.5", "libiomp5.so"}) {
    if (void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD); handle != nullptr) {
      return reinterpret_cast<OpenmpLevel>(::dlsym(handle, "omp_get_level"));
    }
  }
  return nullptr;
}

}  // namespace weft::image
