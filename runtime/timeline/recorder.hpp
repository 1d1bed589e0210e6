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
#include "runtime/meter/off_cpu_time.hpp"
#include "runtime/meter/ticks.hpp"
#include "trace/writer.hpp"

namespace weft::runtime {
inline namespace timeline {

struct RecorderOptions {
  std::size_t most_bytes = 0;        // of events in memory
  std::string file;                  // where events go when so many are in memory; empty: then recording stops
  bool keeps_runs = true;            // record which rank ran when
  bool keeps_computing = false;      // record what ranks compute between calls, for the simulator
  bool keeps_times_in_calls = true;  // record when events in a call happen; else they get the time of the last event
};

// Touched by its worker's thread only; once that has ended, by the timeline. Once it is full it keeps its events and
// ignores new ones.
class Recorder {
 public:
  explicit Recorder(RecorderOptions options);
  // Allocates the memory that events need until they go to the file.
  void reserve() { buffer_.reserve(options_.most_bytes + trace::Buffer::kLongestEvent); }

  // All times are in ticks. Strings passed as const char* must live as long as the job.
  // The rank ran from `start` until `now`.
  void record_run(RankId rank, std::uint64_t start, std::uint64_t now);
  // The rank enters this call; it leaves the call that it entered last.
  void record_call_begin(RankId rank, const char* call, std::uint64_t now);
  void record_call_end(RankId rank, std::uint64_t now);
  // The rank moves to this worker, numbered through the job.
  void record_move(RankId rank, std::uint32_t worker);
  // The rank has been stolen from this worker, numbered likewise, which does not record that. `after`: the time of that
  // worker's last event when it exposed the rank.
  void record_steal(RankId rank, std::uint32_t worker, std::uint64_t after);
  // The collective call that the rank is in uses this algorithm.
  void record_algorithm(RankId rank, const char* algorithm);
  // The rank has computed for so many ticks since its last call.
  void record_computing(RankId rank, std::uint64_t ticks_of_rank, std::uint64_t now);
  // The worker's meter has read the thread's clocks at `at`: no more time off the CPU before that will be found.
  void settle_computed(std::uint64_t at) {
    settled_until_ = at;
    open_.clear();
  }
  std::uint64_t settled_until() const { return settled_until_; }
  // Called before settle_computed() where the reading found that others had had the core. `lessens`: subtracts that
  // time from what was recorded since the reading before, in proportion; else the caller subtracts it from what it
  // records next.
  void note_off_cpu(const OffCpuTime& off_cpu, bool lessens);
  const OffCpuTime& accounted_for() const { return accounted_for_; }  // that of the last note_off_cpu()
  // A thread of the rank makes this call. Recorded once for each worker.
  void record_thread_call(RankId rank, const char* call);
  // Records this event, which has no name, with the time now.
  void record_now(trace::Event event);
  // Whether record_communicator() has been called for this communicator. `what` distinguishes it from a later one with
  // the same context number.
  bool has_communicator(std::uint32_t context, const void* what) {
    return (recent_comm_.context == context && recent_comm_.what == what) || find_communicator(context, what);
  }
  // `text` has the form described in trace/communicators.hpp.
  void record_communicator(RankId rank, std::uint32_t context, const void* what, std::string_view text);
  // Events of the job: `what` lasted from `begin` to `now`; a counter has this value now.
  void record_span(std::string_view what, std::uint64_t begin, std::uint64_t now);
  void record_counter(std::string_view counter, std::int64_t value);

  // Whether it records what ranks compute, for the simulator.
  bool records_computing() const { return options_.keeps_computing; }
  bool full() const { return full_; }
  std::uint64_t last_time() const { return last_time_; }  // of the last event; ticks
  trace::Buffer& buffer() { return buffer_; }
  // Writes the remaining events to the file; false when the file does not have all events.
  bool finish_file();
  std::uint64_t bytes_in_file() const { return bytes_in_file_; }

 private:
  std::uint32_t number_of(const char* name);
  bool find_communicator(std::uint32_t context, const void* what);
  void add(trace::Event event);
  void add_now(trace::Event event);
  void spill();

  const RecorderOptions options_;
  const double nanoseconds_per_tick_;
  bool full_ = false;
  std::uint64_t last_time_ = 0;
  trace::Buffer buffer_;
  std::ofstream file_;
  std::uint64_t bytes_in_file_ = 0;
  // A computation recorded since the thread's clocks were last read: it may still be reduced.
  struct OpenCompute {
    std::uint64_t time;  // when it ended
    std::size_t end;     // of its event in the buffer
    std::int64_t value;
  };
  std::vector<OpenCompute> open_;
  std::uint64_t settled_until_ = 0;
  OffCpuTime accounted_for_;
  bool threads_call_ = false;
  std::unordered_map<const char*, std::uint32_t> names_;
  struct NamedNumber {
    const char* name = nullptr;
    std::uint32_t number = 0;
  };
  std::array<NamedNumber, 64> recent_names_;              // some of names_, found faster
  std::unordered_map<std::uint32_t, const void*> comms_;  // by context number
  struct KnownCommunicator {
    std::uint32_t context = 0;
    const void* what = nullptr;
  };
  KnownCommunicator recent_comm_;  // one of comms_, found faster
};

}  // namespace timeline
}  // namespace weft::runtime
