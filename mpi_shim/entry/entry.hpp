// The first steps of every MPI entry point: record the call, then check its arguments.
//
//   int PMPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
//     const Entry entry("MPI_Send");
//     ...
//     if (count < 0) return entry.raise(comm, MPI_ERR_COUNT, "count {} is negative", count);
#pragma once

#include <atomic>
#include <string>

#include <fmt/format.h>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace entry {

// One per process; written before any rank runs. Whether calls are written to a timeline.
inline bool calls_are_traced = false;
// Likewise: whether the timeline is a recording for the simulator, which has more events than other timelines.
inline bool calls_are_recorded = false;
// Likewise: whether completed calls are counted, for --stall.
inline bool calls_are_counted = false;
// One per process: whether Entry calls begin() and end(). True if calls are traced or counted for --stall, or if
// threads of ranks may call.
inline std::atomic<bool> call_hooks_enabled = false;

class Entry {
 public:
  enum Anytime { kAnytime };

  // Stores the call's name in the rank, for deadlock and crash reports. Before MPI_Init and after MPI_Finalize it ends
  // the job with a line that says so, unless the call is allowed at any time.
  explicit Entry(const char* call) : me(rank_state(call)), call_(call) {
    me.rank->call = call;
    if (!me.active) [[unlikely]] {
      abort_inactive();
    }
    if (call_hooks_enabled.load(std::memory_order_relaxed)) [[unlikely]] {
      begin();
    }
  }
  Entry(const char* call, Anytime) : me(rank_state(call)), call_(call) {
    me.rank->call = call;
    if (call_hooks_enabled.load(std::memory_order_relaxed)) [[unlikely]] {
      begin();
    }
  }
  // The rank may have moved to another process, and `me` may be gone.
  ~Entry() {
    if (call_hooks_enabled.load(std::memory_order_relaxed)) [[unlikely]] {
      end(call_);
    }
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  // Reports the error through the communicator's error handler (MPI_COMM_NULL or an invalid handle: see
  // fallback_comm()); the default handler prints one line that names rank, call and argument and ends the job.
  // Returns the error code for the caller to return.
  template <typename... Arguments>
  int raise(MPI_Comm comm, int error_class, fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
    return raise_text(comm, error_class, fmt::format(text, std::forward<Arguments>(arguments)...));
  }
  int raise_text(MPI_Comm comm, int error_class, const std::string& text) const;

  // Raise common errors of arguments.
  int bad_comm(MPI_Comm comm) const;
  int null_argument(MPI_Comm comm, const char* name) const;

  const char* call() const { return call_; }

  RankState& me;

 private:
  [[noreturn]] void abort_inactive() const;
  void begin() const;
  static void end(const char* call);

  const char* call_;
};

}  // namespace entry
}  // namespace weft::mpi_shim
