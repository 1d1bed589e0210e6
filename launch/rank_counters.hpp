// Reads counters of a process's ranks and workers while they run, for `weft top` and --stall.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "inspect/messages.hpp"
#include "runtime/job/job.hpp"

namespace weft::launch {

class ImageProgram;

// The progress of all ranks that have been in this process. A rank that has left counts with its numbers of that time.
inspect::Progress progress_of(const runtime::Job& job);

// Used by one thread at a time. Stops no thread: each value is right by itself, but they are not of the same moment.
class RankCounterReader {
 public:
  RankCounterReader(const runtime::Job& job, const ImageProgram& program);

  // Fills in all but `process`. Takes well under a microsecond for each rank. Besides it reads the memory of some ranks
  // in turn, for a thousandth of the workers' time since the last call, 1 to 50 milliseconds. The values of the other
  // ranks are as old as their last turn.
  inspect::Counters read();

 private:
  // What a worker's thread has run since it last switched ranks, as far as this reader has seen it.
  struct RunningSegment {
    std::uint64_t since = 0;  // ticks
    double seconds = 0;
    double ran = 0;  // CPU seconds of the thread at the last call
  };

  void update_segment(runtime::Worker& worker, double ran);
  double seconds_of(const runtime::Rank& rank, const runtime::Worker& worker, bool runs) const;
  void read_workers(inspect::Counters& counters);
  void read_ranks(inspect::Counters& counters) const;
  void find_blocked(inspect::Counters& counters) const;
  void read_memory(inspect::Counters& counters);

  const runtime::Job& job_;
  const ImageProgram& program_;
  std::vector<std::uint64_t> memory_;     // by rank
  std::vector<RunningSegment> segments_;  // by worker
  std::uint32_t next_memory_rank_ = 0;    // the rank whose memory is read next
  std::chrono::steady_clock::time_point memory_read_at_;
};

}  // namespace weft::launch
