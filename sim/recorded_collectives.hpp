// Adds the collective calls and the communicators of a recording to a workload.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/recorded_rank.hpp"

namespace weft::sim {

class CollectiveList {
 public:
  // Both must outlive this. `ranks`: of the job.
  CollectiveList(Workload& workload, const trace::Communicators& comms, std::uint32_t ranks)
      : workload_(workload), comms_(comms), ranks_(ranks) {}

  // See RecordedJob::collective.
  std::optional<Action> action(const RecordedCollective& call);

 private:
  using CallKey =
      std::tuple<CollectiveKind, bool, std::uint16_t, std::uint32_t, std::uint32_t, std::vector<std::uint64_t>>;

  std::uint32_t comm_of(std::uint32_t recorded);
  std::uint32_t list(const CallKey& key);

  Workload& workload_;
  const trace::Communicators& comms_;
  std::uint32_t ranks_;
  bool has_all_ = false;                          // a communicator of the recording became communicator 0
  std::map<std::uint32_t, std::uint32_t> known_;  // from the recording's communicator to the workload's
  std::map<CallKey, std::uint32_t> calls_;
};

}  // namespace weft::sim
