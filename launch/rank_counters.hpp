// What the runtime counts of the ranks and workers of a process, for `weft top` and --stall: read while they run.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "inspect/messages.hpp"
#include "runtime/job/job.hpp"

namespace weft::launch {

class ImageProgram;

// Of all ranks that have been here: what has left this process counts as it was then.
inspect::Progress progress_of(const runtime::Job& job);

// One thread at a time. Stops nobody: what is read of a rank is right by itself, but not all at one moment.
class RankCounterReader {
 public:
  RankCounterReader(const runtime::Job& job, const ImageProgram& program);

  // All but `process`. Well under a microsecond for each rank, and a thousandth of the workers' time since the last
  // call, 1 to 50 milliseconds, for the memory of as many as that is enough for: the others' is as old as their last
  // turn.
  inspect::Counters read();

 private:
  // What a worker's thread has run since it last switched, as far as it has been seen.
  struct RunningSegment {
    std::uint64_t since = 0;  // ticks
    double seconds = 0;
    double ran = 0;  // of the thread, at the last call
  };

  void follow(runtime::Worker& worker, double ran);
  double seconds_of(const runtime::Rank& rank, const runtime::Worker& worker, bool runs) const;
  void read_workers(inspect::Counters& counters);
  void read_ranks(inspect::Counters& counters) const;
  void find_blocked(inspect::Counters& counters) const;
  void read_memory(inspect::Counters& counters);

  const runtime::Job& job_;
  const ImageProgram& program_;
  std::vector<std::uint64_t> memory_;     // by rank
  std::vector<RunningSegment> segments_;  // by worker
  std::uint32_t next_ = 0;                // the rank whose memory is to be looked at
  std::chrono::steady_clock::time_point memory_read_at_;
};

}  // namespace weft::launch
