// Signals held back for a while: of this thread, and of threads that it starts meanwhile, which never get any.
#pragma once

#include <pthread.h>
#include <csignal>

namespace weft::base {

// Blocks all signals of the calling thread while it lives; then the thread has the mask that it had before.
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
