#include "runtime/image/openmp.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace weft::image {
namespace {

constexpr std::array kLibraries{"libgomp.so.1", "libomp.so.5", "libiomp5.so"};

bool loaded(const char* library) {
  void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  return handle != nullptr && ::dlclose(handle) == 0;
}

// A function of the loaded OpenMP library, which stays loaded; null while there is none.
template <typename Function>
Function* find(const char* name) {
  for (const char* const library : kLibraries) {
    if (void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD); handle != nullptr) {
      auto* const function = reinterpret_cast<Function*>(::dlsym(handle, name));
      ::dlclose(handle);
      return function;
    }
  }
  return nullptr;
}

}  // namespace

OpenmpLevel find_openmp_level() { return find<int()>("omp_get_level"); }

std::uint64_t place_in_teams() {
  constexpr int kBits = 16;  // of a thread's number in a team
  constexpr int kLevels = 64 / kBits;
  static const auto level_of = find<int()>("omp_get_level");  // called by a thread of the library, so it is loaded
  static const auto number_at = find<int(int)>("omp_get_ancestor_thread_num");
  static const auto leagues = find<int()>("omp_get_num_teams");
  if (level_of == nullptr || number_at == nullptr || (leagues != nullptr && leagues() > 1)) {
    return 0;
  }
  int level = level_of();
  while (level > 0 && number_at(level) == 0) {  // number 0 of a team is the thread that has begun the region
    --level;
  }
  std::uint64_t place = 0;
  for (int i = 1; i <= level && level <= kLevels; ++i) {
    place = place << kBits | (static_cast<std::uint64_t>(number_at(i)) + 1);
  }
  return place;
}

bool threads_keep_their_places() {
  const auto places = find<int()>("omp_get_num_places");
  return std::ranges::none_of(kLibraries.begin() + 1, kLibraries.end(), loaded) && places != nullptr && places() == 0;
}

}  // namespace weft::image
