// What follows the death of a process in a job that survives such deaths (--survive).
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::bootstrap {

struct ProcessDeath {
  std::uint32_t process = 0;
  int signal = 0;
  std::string site;           // what ran there as far as the process could say, such as "rank 3, last in MPI_Send"
  bool from_outside = false;  // another process has sent the signal
};

// Signals that the program's own instructions or its timers raise, such as SIGSEGV. Others come from outside, SIGKILL
// above all.
bool is_crash(int signal);

class RecoveryPolicy {
 public:
  enum class Verdict : std::uint8_t { recover, same_crash, limit_reached };

  // `limit`: how often the job may recover.
  explicit RecoveryPolicy(std::uint32_t limit) : limit_(limit) {}

  // A new image is whole: the job has come further than it was.
  void on_image() { crashes_.clear(); }
  // A crash that has happened before (signal and site; the process where neither has a site), with no new image in
  // between, is the program's fault: to go on would repeat it for ever.
  Verdict on_death(const ProcessDeath& death);

  std::uint32_t recoveries() const { return recoveries_; }

 private:
  const std::uint32_t limit_;
  std::uint32_t recoveries_ = 0;
  std::vector<ProcessDeath> crashes_;  // since the last image
};

}  // namespace weft::bootstrap
