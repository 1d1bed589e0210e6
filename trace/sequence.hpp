// The events of all workers of a job, in the order in which they happened.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/clock.hpp"
#include "trace/source.hpp"

namespace weft::trace {

// The files of one process: one for each worker, and one for events of the job.
struct ProcessFiles {
  Clock clock;
  std::string host_name;
  std::vector<std::string> workers;
  std::string job;
};

// Merges the events by time. If clocks disagree, the order of moves counts: a rank's events on a worker come after its
// move to that worker.
class Sequence {
 public:
  // Throws Error when a file cannot be read. `names` must outlive this.
  Sequence(const std::vector<ProcessFiles>& parts, Names& names);

  // Returns false at the end. `worker` is numbered through all processes; for events of the job it is worker_count()
  // plus the process. Times are the first process's ticks. Throws Error.
  bool next(std::uint32_t& worker, Event& event);
  std::uint32_t worker_count() const { return workers_; }

 private:
  struct WorkerEvents {
    Source source;
    ClockTranslation clock;
    Event head;
  };
  using HeadTime = std::pair<std::uint64_t, std::uint32_t>;  // time of a stream's next event, stream

  void add(const std::string& file, const ClockTranslation& clock, Names& names);
  bool advance(std::uint32_t stream);
  // Whether the stream's next event belongs to a rank that has not moved to this worker yet.
  bool must_wait(std::uint32_t stream) const;
  void update_location(std::uint32_t stream, const Event& event);

  std::uint32_t workers_ = 0;
  std::vector<WorkerEvents> streams_;
  std::priority_queue<HeadTime, std::vector<HeadTime>, std::greater<>> head_times_;
  std::unordered_map<std::uint32_t, std::uint32_t> location_;              // by rank: its worker
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> waiting_;  // by rank: streams that wait for its move
};

}  // namespace weft::trace
