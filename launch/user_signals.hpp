// What SIGUSR1 and SIGUSR2 to a process of the job do.
#pragma once

#include "runtime/job/job.hpp"

namespace weft::launch {

// As long as one lives: SIGUSR1 asks for a checkpoint, SIGUSR2 for the table of balancing steps. Where the job's
// options leave nothing to ask for, a line says so. Handlers that ranks install take their place.
class UserSignals {
 public:
  UserSignals(const runtime::Job& job, const runtime::JobConfig& config);
  ~UserSignals();
  UserSignals(const UserSignals&) = delete;
  UserSignals& operator=(const UserSignals&) = delete;
};

}  // namespace weft::launch
