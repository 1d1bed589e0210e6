// Records the events of one worker for the job's timeline (--trace, --otf2, --record).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "runtime/meter/missing_time.hpp"
#include "runtime/meter/ticks.hpp"
#include "trace/writer.hpp"

namespace weft::runtime {
inline namespace timeline {

struct Recording {
  std::size_t most_bytes = 0;  // of events in memory
  std::string file;            // where events go when so many are in memory; empty: the timeline ends then
  bool runs = true;            // whether it keeps which rank ran when
  bool computes = false;       // and what ranks compute between calls, for the simulator
  bool times_in_calls = true;  // and when things happen in a call; else they have the time of the event before
};

// Owned by its worker, whose thread calls it; after that thread's end the timeline's. Once it is full it keeps what it
// has and takes nothing more.
class Recorder {
 public:
  explicit Recorder(Recording recording);
  // Gets the memory that events may need until they go to the file.
  void reserve() { buffer_.reserve(recording_.most_bytes + trace::Buffer::kLongestEvent); }

  // The rank ran from `start` until now. Ticks.
  void ran(RankId rank, std::uint64_t start, std::uint64_t now);
  // The rank enters this call now, whose name lasts as long as the job; and leaves the one that it entered last. Ticks.
  void enters(RankId rank, const char* call, std::uint64_t now);
  void leaves(RankId rank, std::uint64_t now);
  // The rank goes to this worker, counted through the whole job.
  void moves(RankId rank, std::uint32_t worker);
  // The rank comes from this worker, counted likewise, which does not know and wrote down its last event of the rank by
  // `after`. Ticks.
  void takes(RankId rank, std::uint32_t worker, std::uint64_t after);
  // The collective call that the rank is in goes by this algorithm, whose name lasts as long as the job.
  void chooses(RankId rank, const char* algorithm);
  // What the rank has computed in so many ticks since its last call.
  void computed(RankId rank, std::uint64_t ticks_of_rank, std::uint64_t now);
  // The worker's meter read the thread's clocks at `at`, and will not find any more that something was missing before.
  void settle_computed(std::uint64_t at) {
    settled_until_ = at;
    open_.clear();
  }
  std::uint64_t settled_until() const { return settled_until_; }
  // Before that: others had the core meanwhile. What was computed then was less, in proportion, or if not `lessens`
  // what comes next alone.
  void account_for(const MissingTime& missing, bool lessens);
  const MissingTime& accounted_for() const { return accounted_for_; }  // the last one
  // A thread of the rank's makes a call of this name, which lasts as long as the job.
  void thread_calls(RankId rank, const char* call);
  // What the event says happens now; it has no name.
  void note(trace::Event event) {
    event.time = recording_.times_in_calls ? ticks() : last_time_;
    add(event);
  }
  // Whether describe() has been called for this context number; `what` tells one communicator from another
  // that has the number later.
  bool describes(std::uint32_t context, const void* what) const;
  // `text` is as trace/communicators.hpp has it.
  void describe(RankId rank, std::uint32_t context, const void* what, std::string_view text);
  // Events of the job: `what` took the ticks from `begin` to `now`; a counter has this value now.
  void took(std::string_view what, std::uint64_t begin, std::uint64_t now);
  void counts(std::string_view counter, std::int64_t value);

  // Whether this is for the simulator.
  bool computes() const { return recording_.computes; }
  bool full() const { return full_; }
  std::uint64_t last_time() const { return last_time_; }  // of an event; ticks
  trace::Buffer& buffer() { return buffer_; }
  // Writes what is left to the file; false when it does not hold all events.
  bool finish_file();
  std::uint64_t bytes_in_file() const { return bytes_in_file_; }

 private:
  std::uint32_t number_of(const char* name);
  void add(trace::Event event);
  void add_now(trace::Event event);
  void spill();

  const Recording recording_;
  const double nanoseconds_per_tick_;
  bool full_ = false;
  std::uint64_t last_time_ = 0;
  trace::Buffer buffer_;
  std::ofstream file_;
  std::uint64_t bytes_in_file_ = 0;
  // What was computed since the thread's clocks were last read: it may become less.
  struct OpenCompute {
    std::uint64_t time;  // when it ended
    std::size_t end;     // of its event in the buffer
    std::int64_t value;
  };
  std::vector<OpenCompute> open_;
  std::uint64_t settled_until_ = 0;
  MissingTime accounted_for_;
  bool threads_call_ = false;
  std::unordered_map<const char*, std::uint32_t> names_;
  struct NamedNumber {
    const char* name = nullptr;
    std::uint32_t number = 0;
  };
  std::array<NamedNumber, 64> recent_names_;              // some of names_, found faster
  std::unordered_map<std::uint32_t, const void*> comms_;  // by context number
};

}  // namespace timeline
}  // namespace weft::runtime
