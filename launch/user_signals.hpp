// Handles SIGUSR1 and SIGUSR2 to a process of the job.
#pragma once

#include "runtime/job/job.hpp"

namespace weft::launch {

// While it lives: SIGUSR1 requests a checkpoint, SIGUSR2 the table of balancing steps. If the job's options leave a
// signal without effect, it prints a line about that. Handlers that ranks install replace these.
class UserSignals {
 public:
  UserSignals(const runtime::Job& job, const runtime::JobConfig& config);
  ~UserSignals();
  UserSignals(const UserSignals&) = delete;
  UserSignals& operator=(const UserSignals&) = delete;
};

}  // namespace weft::launch
