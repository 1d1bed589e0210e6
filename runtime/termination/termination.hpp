// The end of a job of several processes: all ranks have ended, or none can ever run again.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/control/cluster.hpp"

namespace weft::runtime {

// A deadlock is found as in Mattern 1987 (four counters): every process has told process 0 that all its workers sleep
// and how many messages it has sent and received, the sums agree, and asked once more all of them say the same.
class Termination {
 public:
  explicit Termination(Cluster& cluster);

  void ranks_ended(std::uint32_t here);
  // Process 0: so many more have to end.
  void expect(std::uint32_t ranks);
  // Main thread: all workers sleep and no inbox holds anything. False: something may still be under way, ask again.
  bool nothing_runs();
  void hear(ProcessId from, Control what, std::span<const std::byte> text);

 private:
  struct State {
    std::uint64_t round = 0;  // 0: told unasked
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint32_t idle = 0;
    std::uint32_t known = 0;
  };

  State now() const;
  bool asleep() const;
  void on_state(ProcessId from, const State& state);
  void answer(std::uint64_t round);
  void on_report(ProcessId from, std::string text);

  Cluster& cluster_;
  std::mutex mutex_;            // guards what follows
  std::uint32_t ended_ = 0;     // process 0's: ranks of the job that have ended
  std::uint32_t expected_ = 0;  // and all that have started

  // The main thread's.
  State told_;
  std::uint64_t round_ = 0;
  std::uint32_t answers_ = 0;
  bool round_holds_ = false;
  std::vector<State> states_;         // process 0's, by process
  std::vector<std::string> reports_;  // process 0's, by process
  std::uint32_t reports_missing_ = 0;
};

}  // namespace weft::runtime
