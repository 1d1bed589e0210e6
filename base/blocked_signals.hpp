// Blocks all signals of a thread for a while. Threads that it starts meanwhile inherit the mask and get no signals.
#pragma once

#include <pthread.h>
#include <csignal>

namespace weft::base {

// Blocks all signals of the calling thread; the destructor restores the previous mask.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace weft::base
