// What one process of a job with --survive api does when another one has died, or a communicator is revoked.
//
// Deaths and revocations come as notices, in the same order in all processes (bootstrap/failure_coordinator.hpp). On
// each, the layer above marks what it concerns, and then every worker ends its ranks' receives and probes that can
// never be matched, and their sends to the dead. From then on no rank posts a receive or sends what the marks forbid.
// Once all processes have come so far the notice is settled: nobody can match a message any more that it concerns, so
// that senders need not wait either, and messages that nobody will receive are dropped.
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

// What those agree on that live of a group of ranks.
struct Agreement {
  std::uint32_t flags = ~0U;                // of all, by AND
  std::uint32_t acknowledged = UINT32_MAX;  // the least of what each has said
  std::uint32_t context = 0;                // a number for a communicator that one of them has offered
  std::vector<ProcessId> dead;              // the same for all
  std::uint32_t missing = 0;                // ranks of this process that have not brought theirs
  std::vector<Request*> waiting;            // of those that have
};

class Failures final : public bootstrap::NoticeHandler {
 public:
  Failures(const JobContext& job, bootstrap::NoticeConnection& launcher);
  ~Failures() override { stop(); }

  // Between these, notices are acted on.
  void start() { launcher_.serve(*this); }
  void stop() { launcher_.stop(); }

  // The rest is for any thread. The processes that have died, in the same order everywhere.
  std::vector<ProcessId> dead() const;
  bool is_dead(ProcessId process) const;

  void revoke(std::uint32_t context) { launcher_.revoke(context); }

  // One rank's part of an agreement.
  struct Part {
    std::string name;  // all members call the same one by the same name, and no other one
    std::uint32_t flags = ~0U;
    std::uint32_t acknowledged = 0;  // so many of the members' deaths does the program know of
    std::uint32_t offered_context = 0;
    std::uint32_t ranks_here = 0;          // members, in this process
    std::vector<std::uint32_t> processes;  // in which members live, or lived
  };
  // Ends `over`, an event of `me` (start_event), once there is the outcome.
  std::shared_ptr<const Agreement> bring(const Part& part, Request& over);

 private:
  class Sweep;

  void process_died(ProcessId process) override;
  void communicator_revoked(std::uint32_t context) override;
  void notices_settled(std::uint32_t notices) override;
  void agreed(const std::string& name, const bootstrap::Decision& decision) override;
  void sweep(const std::function<void(Worker& here, Rank& rank)>& each, const std::function<void()>& after);

  const JobContext& job_;
  bootstrap::NoticeConnection& launcher_;
  std::uint32_t notices_ = 0;  // the connection's thread's
  mutable std::mutex mutex_;   // guards what follows
  std::vector<ProcessId> dead_;
  std::map<std::string, std::shared_ptr<Agreement>> agreements_;
};

}  // namespace failure
}  // namespace weft::runtime
