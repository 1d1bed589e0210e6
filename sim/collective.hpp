// Collective calls of a simulated run. Members in one process synchronize in memory, at a calibrated cost; others carry
// out the steps of Weft's own algorithms (mpi_shim/coll/steps), which are written down as actions for each member.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/messaging.hpp"

namespace weft::sim {

// A member's steps of a call: sends, receives, waits, and work, up to `stop`. Channels are those of the job, and
// request slots count from where the rank's own for collective calls begin.
struct CallProgram {
  std::vector<Action> actions;
  std::uint32_t requests = 0;
};

// What a call costs where members move bytes or combine them: seconds at speed 1.
struct CallWork {
  Seconds copy_per_byte = 0.1e-9;
  Seconds combine_per_byte = 0.1e-9;
};

class Collectives {
 public:
  Collectives(const Workload& workload, const Platform& platform, SimState& state, Messaging& messaging);

  // Whether all members live in one process.
  bool is_in_memory(std::uint32_t comm);
  // After a balancing step.
  void forget_places();

  // The rank's steps of the call; they stay where they are. Gives the rank room for requests.
  const Action* program(std::uint32_t rank, const Action& action);

  // The rank has come to the call at `now`. With the last one, all members are woken when it is over.
  void arrive(std::uint32_t rank, const Action& action, Seconds now);

 private:
  struct Comm {
    std::vector<std::uint32_t> members;                            // ranks; empty: all of the job
    std::vector<std::pair<std::uint32_t, std::uint32_t>> numbers;  // (rank, member), by rank
    std::uint64_t arrived = 0;
    std::uint64_t bytes = 0;  // the most that a member has brought
    Seconds latest = 0.0;
    bool places_known = false;
    bool in_memory = false;
    std::uint32_t workers = 0;
  };
  struct ProgramKey {
    std::uint64_t bytes = 0;
    std::uint32_t call = 0;
    std::uint32_t member = 0;
    friend bool operator==(const ProgramKey&, const ProgramKey&) = default;
  };
  struct ProgramHash {
    std::size_t operator()(const ProgramKey& key) const {
      return (key.bytes * 0x9e3779b97f4a7c15U) ^ (std::uint64_t{key.call} << 40) ^ (key.member * 0xc2b2ae3d27d4eb4fU);
    }
  };

  [[nodiscard]] std::uint32_t size_of(std::uint32_t comm) const;
  std::uint32_t member_of(std::uint32_t comm, std::uint32_t rank) const;  // throws WorkloadError where it is none
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t comm, std::uint32_t member) const;
  void find_places(std::uint32_t comm);
  CallProgram make_program(std::uint32_t comm, std::uint32_t member, const Action& action);
  std::uint32_t channel(std::uint32_t comm, std::uint32_t from, std::uint32_t to);

  const Workload& workload_;
  const InMemoryCost cost_;
  SimState& state_;
  Messaging& messaging_;
  std::vector<Comm> comms_;
  std::unordered_map<ProgramKey, std::unique_ptr<CallProgram>, ProgramHash> programs_;
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> channels_;  // by communicator, then (from, to)
  std::vector<std::uint32_t> requests_;                                     // by rank: slots that it has for calls
};

}  // namespace weft::sim
