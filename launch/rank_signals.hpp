// Signals that ranks handle. A signal to the process runs the handlers of all its ranks: under another MPI it would be
// sent to each rank's process.
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

  // Sets the rank's handler: `run` calls it, with the mask and flags of `action`. If `run` is null the rank has no
  // handler any more, and `action` becomes the process's disposition where no other rank of the process has a handler.
  // Returns 0, or -1 with errno. Async-signal-safe where a rank has handled this signal before.
  int set(RankId rank, int signal, const struct sigaction& action, WeftSignalHandler run);

  // Removes the rank's handlers, since it leaves this process: none of them runs any more when this returns. REQUIRES:
  // the rank is suspended.
  void remove(RankId rank);

 private:
  static constexpr int kSignals = 65;
  struct Handlers {
    std::unique_ptr<std::atomic<WeftSignalHandler>[]> by_rank;
    std::uint32_t count = 0;     // ranks with a handler
    struct sigaction before {};  // the process's disposition before ranks set handlers
  };

  static void on_signal(int signal, siginfo_t* info, void* context);
  void run_handlers(int signal, siginfo_t* info, void* context);
  Handlers& handlers_of(int signal);
  bool clear_handlers(RankId rank);  // whether it had any

  const image::Region& region_;
  const pid_t process_;
  // Guards handlers_ and the process's dispositions. Taken with signals blocked: else a handler that changes
  // dispositions could wait for the code that it interrupted.
  std::mutex mutex_;
  std::array<std::unique_ptr<Handlers>, kSignals> handlers_;
  // For signal handlers: Handlers::by_rank of each signal, or null.
  std::array<std::atomic<std::atomic<WeftSignalHandler>*>, kSignals> by_rank_{};
  std::atomic<std::uint32_t> running_ = 0;  // signals for which handlers of other ranks than the interrupted one run
};

}  // namespace weft::launch
