#include "mpi_shim/entry/unsupported.hpp"

#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace entry {
namespace {

// True the first time that this rank of the job calls this function in this process.
bool first_time(int job_rank, std::string_view function) {
  static std::mutex guard;
  static std::set<std::pair<int, std::string>> named;  // copies: a name may lie in the rank's own memory
  const std::lock_guard lock(guard);
  return named.emplace(job_rank, function).second;
}

// Calls the error handler first: the default one prints a line itself and ends the job.
int raise_unsupported(const char* function) {
  const Entry entry(function, Entry::kAnytime);
  const int code = entry.raise(MPI_COMM_NULL, MPI_ERR_UNSUPPORTED_OPERATION, "not supported by this version of Weft");
  if (first_time(entry.me.job_rank, function)) {
    fmt::print(stderr, "weft: {} is not supported by this version of Weft (rank {})\n", function, entry.me.world.rank);
  }
  return code;
}

}  // namespace
}  // namespace entry
}  // namespace weft::mpi_shim

extern "C" int weft_mpi_unsupported(const char* function) { return weft::mpi_shim::raise_unsupported(function); }

extern "C" const char* const* weft_unsupported_functions(std::size_t* count) {
  const auto names = weft::mpi_shim::unsupported_functions();
  *count = names.size();
  return names.data();
}
