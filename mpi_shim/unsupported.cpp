#include "mpi_shim/unsupported.hpp"

#include <cstdio>
#include <mutex>
#include <set>

#include "mpi.h"

namespace {

// True the first time that the process asks for this function.
bool first_time(const char* function) {
  static std::mutex guard;
  static std::set<const char*> named;
  const std::lock_guard lock(guard);
  return named.insert(function).second;
}

}  // namespace

extern "C" int weft_mpi_unsupported(const char* function) {
  if (first_time(function)) {
    std::fprintf(stderr, "weft: %s is not supported by this version of Weft\n", function);
  }
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

extern "C" const char* const* weft_unsupported_functions(std::size_t* count) {
  const auto names = weft::mpi_shim::unsupported_functions();
  *count = names.size();
  return names.data();
}
