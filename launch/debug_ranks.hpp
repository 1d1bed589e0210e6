// Shows the ranks of a job to debuggers, through weft_debug.
#pragma once

#include <vector>

#include "runtime/image/debug_table.h"
#include "runtime/job/job.hpp"

namespace weft::launch {

// The ranks with which the job begins are in the table while the object lives; spawned ranks are not. The job outlives
// it.
class DebugRanks {
 public:
  explicit DebugRanks(const runtime::Job& job);
  ~DebugRanks();
  DebugRanks(const DebugRanks&) = delete;
  DebugRanks& operator=(const DebugRanks&) = delete;

 private:
  std::vector<WeftDebugRank> ranks_;
};

}  // namespace weft::launch
