// Decides what follows the death of a process in a job with --survive.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::bootstrap {

struct ProcessDeath {
  std::uint32_t process = 0;
  int signal = 0;
  std::string site;           // what ran there as far as the process could tell, such as "rank 3, last in MPI_Send"
  bool from_outside = false;  // another process has sent the signal
};

// True for signals that the program's own instructions or timers raise, such as SIGSEGV. Others, such as SIGKILL, come
// from outside.
bool is_crash(int signal);

class RecoveryPolicy {
 public:
  enum class Verdict : std::uint8_t { recover, same_crash, limit_reached };

  // `limit`: how often the job may recover.
  explicit RecoveryPolicy(std::uint32_t limit) : limit_(limit) {}

  // A new image is complete: the job has made progress.
  void on_image() { crashes_.clear(); }
  // If the same crash (signal and site; the process where neither has a site) has happened before, with no new image in
  // between, the program is at fault: the job would repeat it for ever.
  Verdict on_death(const ProcessDeath& death);

  std::uint32_t recoveries() const { return recoveries_; }

 private:
  const std::uint32_t limit_;
  std::uint32_t recoveries_ = 0;
  std::vector<ProcessDeath> crashes_;  // since the last image
};

}  // namespace weft::bootstrap
