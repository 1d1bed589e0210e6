// Signals that ranks handle. One that comes to the process runs the handlers of all its ranks, as with another MPI it
// would come to each of their processes.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/ids.hpp"
#include "runtime/image/region.hpp"
#include "runtime/image/shim_abi.h"

namespace weft::launch {

// One at a time in a process.
class RankSignals {
 public:
  explicit RankSignals(const image::Region& region);
  ~RankSignals();
  RankSignals(const RankSignals&) = delete;
  RankSignals& operator=(const RankSignals&) = delete;

  // The rank's handler: `run` calls it, with the mask and flags of `action`. `run` null: it has none any more, and
  // where no other rank of the process has one, `action` becomes the process's disposition. 0, or -1 with errno. Fit
  // for signal handlers where a rank has handled this signal before.
  int set(RankId rank, int signal, const struct sigaction& action, WeftSignalHandler run);

  // The rank goes from this process: none of its handlers runs any more when this returns. REQUIRES: the rank is
  // suspended.
  void leave(RankId rank);

 private:
  static constexpr int kSignals = 65;
  struct Handlers {
    std::unique_ptr<std::atomic<WeftSignalHandler>[]> by_rank;
    std::uint32_t count = 0;
    struct sigaction before {};  // the process's disposition without handlers of ranks
  };

  static void on_signal(int signal, siginfo_t* info, void* context);
  void run_handlers(int signal, siginfo_t* info, void* context);
  Handlers& handlers_of(int signal);
  bool forget(RankId rank);  // whether it had any

  const image::Region& region_;
  const pid_t process_;
  // Taken with signals blocked: a handler that changes dispositions must not find it held by the code that it has
  // interrupted.
  std::mutex mutex_;
  std::array<std::unique_ptr<Handlers>, kSignals> handlers_;
  std::array<std::atomic<std::atomic<WeftSignalHandler>*>, kSignals> by_rank_{};  // what signal handlers read of it
  std::atomic<std::uint32_t> running_ = 0;  // signals whose handlers of other ranks than the interrupted one run now
};

}  // namespace weft::launch
