// What one process of a job with --survive api does when another one has died, or a communicator is revoked.
//
// Deaths and revocations come as notices, in the same order in all processes (bootstrap/failure_coordinator.hpp). On
// each notice the upper layer marks what it concerns. Then every worker ends its ranks' receives and probes that can
// never be matched, and their sends to the dead. From then on no rank posts a receive or sends what the marks forbid. A
// notice is settled once all processes have acted on it: no process can match a message any more that the notice
// concerns. Senders then need not wait for such messages, and messages that nobody will receive are dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "runtime/bootstrap/notice_connection.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/p2p/request.hpp"

namespace weft::runtime {
inline namespace control {
class Rank;
}  // namespace control

inline namespace failure {

// What the living members of a group of ranks agree on. Guarded by Failures::mutex_ until all ranks of this process
// have joined, and constant once their requests end.
struct Agreement {
  std::uint32_t flags = ~0U;                // combined by AND
  std::uint32_t acknowledged = UINT32_MAX;  // the minimum of all parts
  std::uint32_t context = 0;                // a context number that one member has offered
  std::vector<ProcessId> dead;              // the same for all
  std::uint32_t missing = 0;                // ranks of this process that have not joined yet
  std::vector<Request*> waiting;            // of the ranks that have joined
};

class Failures final : public bootstrap::NoticeHandler {
 public:
  Failures(const JobContext& job, bootstrap::NoticeConnection& launcher);
  ~Failures() override { stop(); }

  // Notices are handled between these two calls.
  void start() { launcher_.serve(*this); }
  void stop() { launcher_.stop(); }

  // Any thread, like all functions below. The processes that have died, in the same order in all processes.
  std::vector<ProcessId> dead() const;
  bool is_dead(ProcessId process) const;

  void revoke(std::uint32_t context) { launcher_.revoke(context); }

  // One rank's contribution to an agreement.
  struct Part {
    std::string name;  // the same for all members of one call, and used for no other call
    std::uint32_t flags = ~0U;
    std::uint32_t acknowledged = 0;  // how many deaths of members the program knows of
    std::uint32_t offered_context = 0;
    std::uint32_t ranks_here = 0;          // members in this process
    std::vector<std::uint32_t> processes;  // in which members live or have lived
  };
  // Adds the rank's part. Completes `request`, an event of the rank (start_event), once the outcome is known.
  std::shared_ptr<const Agreement> join_agreement(const Part& part, Request& request);

 private:
  class Sweep;

  void process_died(ProcessId process) override;
  void communicator_revoked(std::uint32_t context) override;
  void notices_settled(std::uint32_t notices) override;
  void agreed(const std::string& name, const bootstrap::AgreedValue& value) override;
  void sweep(const std::function<void(Worker& here, Rank& rank)>& each, const std::function<void()>& after);

  const JobContext& job_;
  bootstrap::NoticeConnection& launcher_;
  std::uint32_t notices_ = 0;  // used by the connection's thread only
  mutable std::mutex mutex_;   // guards what follows
  std::vector<ProcessId> dead_;
  std::map<std::string, std::shared_ptr<Agreement>> agreements_;
};

}  // namespace failure
}  // namespace weft::runtime
