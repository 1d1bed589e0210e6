// What the launcher of a job with --survive api does when processes die. It tells all others, in the same order, which
// processes have died and which communicators are revoked, and decides agreements. The launcher outlives all processes
// (the job ends with it), so no election is needed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/bootstrap/frame.hpp"

namespace weft::bootstrap {

// A process's part of an agreement, and its result.
struct AgreedValue {
  std::uint32_t flags = ~0U;                // combined by AND
  std::uint32_t acknowledged = UINT32_MAX;  // the minimum
  std::uint32_t context = 0;                // a number for a communicator: the first one that was offered
};

// Deaths and revocations are notices, numbered from 0 in the order in which they happen here. A process confirms a
// notice once it has acted on it: from then on it posts no receive that the notice concerns. When all living processes
// have confirmed, the notice is settled, and sends that it concerns may be given up: their buffers are not read any
// more.
//
// An agreement is decided once each process that takes part has sent its part or is dead. The living ones among these
// get the same value. They agree on the list of the dead too, since all have been told of the same deaths before.
class FailureCoordinator {
 public:
  // Sends a frame to a process. Never fails: a process to which nothing can be sent is about to be found dead.
  using Send = std::function<void(std::uint32_t process, const Frame& frame)>;
  FailureCoordinator(std::uint32_t processes, Send send);

  // A process has died, or has ended before the job: it sends nothing any more. Call it once for each.
  void note_death(std::uint32_t process);
  // Handles a frame of a process: kRevoke, kApplied, kAgree. Throws std::runtime_error where it is damaged.
  void handle(std::uint32_t process, const Frame& frame);

 private:
  struct PendingAgreement {
    std::vector<bool> awaited;                // by process: takes part, and has not sent its part
    std::vector<std::uint32_t> participants;  // that have sent their part
    AgreedValue value;
  };

  void send_to_all(const Frame& notice);
  void settle();
  void add_part(std::uint32_t process, const Frame& frame);
  bool decide(const std::string& name, const PendingAgreement& agreement);

  const Send send_;
  std::vector<bool> dead_;
  std::vector<std::uint32_t> applied_;  // by process: how many notices it has confirmed
  std::uint32_t notices_ = 0;
  std::uint32_t settled_ = 0;
  std::set<std::uint32_t> revoked_;  // contexts of communicators
  std::map<std::string, PendingAgreement> agreements_;
};

// Packs the numbers in the value of a kAgree or kAgreed frame.
std::string pack_numbers(const std::vector<std::uint32_t>& numbers);
// Throws std::runtime_error where the value is no list of numbers.
std::vector<std::uint32_t> unpack_numbers(const std::string& value);

}  // namespace weft::bootstrap
