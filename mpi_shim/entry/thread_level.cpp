#include "mpi_shim/entry/thread_level.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "mpi_shim/entry/entry.hpp"
#include "runtime/sched/thread_calls.hpp"

namespace weft::mpi_shim {
inline namespace entry {
namespace {

constexpr std::array<std::pair<int, const char*>, 4> kLevels{{{MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"},
                                                              {MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
                                                              {MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"},
                                                              {MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"}}};

}  // namespace

int provide_threads(RankState& me, int required) {
  int provided = MPI_THREAD_MULTIPLE;
  for (const auto& [level, name] : kLevels) {
    provided = level >= required ? std::min(provided, level) : provided;
  }
  if (ThreadSupport& threads = me.part<ThreadSupport>();
      provided >= MPI_THREAD_SERIALIZED && !threads.threads_may_call) {
    threads.threads_may_call = true;
    call_hooks_enabled.store(true, std::memory_order_relaxed);
    runtime::allow_threads(*me.rank);
  }
  return provided;
}

void ThreadSupport::pup(pup::Puper& p, RankState& me) {
  p | level | threads_may_call;
  if (p.unpacking() && threads_may_call) {
    call_hooks_enabled.store(true, std::memory_order_relaxed);
    me.rank->threads_allowed = true;
  }
}

const char* name_of_thread_level(int level) {
  return std::find_if(kLevels.begin(), kLevels.end(), [&](const auto& known) { return known.first == level; })->second;
}

std::optional<int> thread_level_of(std::string_view name) {
  const auto* const found =
      std::find_if(kLevels.begin(), kLevels.end(), [&](const auto& known) { return known.second == name; });
  return found == kLevels.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace entry
}  // namespace weft::mpi_shim
