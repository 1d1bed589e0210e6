// What the launcher of a job with --survive api does when processes die: it tells the others, in one order for all of
// them, which processes have died and which communicators are revoked, and decides what they agree on. It outlives
// them all (the job ends with it), so that no election is needed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/bootstrap/frame.hpp"

namespace weft::bootstrap {

// What a process brings to an agreement, and what all get.
struct Decision {
  std::uint32_t flags = ~0U;                // of all, combined by AND
  std::uint32_t acknowledged = UINT32_MAX;  // the least of all
  std::uint32_t context = 0;                // a number for a communicator: what the first one has offered
};

// Deaths and revocations are notices, numbered from 0 in the order in which they happen here. A process that has acted
// on one (no receive that it concerns is posted there any more) says so; once all that live have, the notice is
// settled, and sends that it concerns may be given up: nobody reads their buffers any more.
//
// An agreement is decided once each process that takes part has brought its part or is dead. All that live get the same
// decision; its list of the dead is the same too, since it holds those of whom they have been told before.
class FailureCoordinator {
 public:
  // Sends a frame to a process. Never fails: what cannot be sent goes to a process that is about to be found dead.
  using Send = std::function<void(std::uint32_t process, const Frame& frame)>;
  FailureCoordinator(std::uint32_t processes, Send send);

  // A process has died, or has ended before the job has: nothing comes from it any more. Once for each.
  void note_death(std::uint32_t process);
  // A frame of a process: kRevoke, kApplied, kAgree. Throws std::runtime_error where it is damaged.
  void handle(std::uint32_t process, const Frame& frame);

 private:
  struct Agreement {
    std::vector<bool> awaited;  // by process
    std::vector<std::uint32_t> came;
    Decision decision;
  };

  void tell(const Frame& notice);
  void settle();
  void bring(std::uint32_t process, const Frame& frame);
  bool decide(const std::string& name, const Agreement& agreement);

  const Send send_;
  std::vector<bool> dead_;
  std::vector<std::uint32_t> applied_;  // by process: so many notices
  std::uint32_t notices_ = 0;
  std::uint32_t settled_ = 0;
  std::set<std::uint32_t> revoked_;  // contexts of communicators
  std::map<std::string, Agreement> agreements_;
};

// The numbers in the value of a kAgree and a kAgreed frame.
std::string pack_numbers(const std::vector<std::uint32_t>& numbers);
// Throws std::runtime_error where these are none.
std::vector<std::uint32_t> unpack_numbers(const std::string& value);

}  // namespace weft::bootstrap
