// Collective calls of a simulated run. If all members are in one process, they synchronize through its memory at a
// calibrated cost. Otherwise each member executes the steps of Weft's algorithms (mpi_shim/coll/steps) as actions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/memory_calls.hpp"
#include "sim/messaging.hpp"
#include "sim/pending_calls.hpp"

namespace weft::sim {

// Costs of copying and of combining bytes in a call: seconds at speed 1.
struct CallWork {
  Seconds copy_per_byte = 0.1e-9;
  Seconds combine_per_byte = 0.1e-9;
};

class Collectives {
 public:
  Collectives(const Workload& workload, const Platform& platform, SimState& state, Messaging& messaging);

  // Whether the call runs in memory, since all members are in one process. Of nonblocking calls only some do.
  bool runs_in_memory(std::uint32_t rank, const Action& action);
  // To be called after a balancing step, which may have moved members to other processes.
  void invalidate_locality();

  // The rank's steps of a blocking call, valid until the end of the run. Allocates the rank's requests for them.
  const Action* program(std::uint32_t rank, const Action& action);
  // The rank's steps of its next nonblocking call, valid until the end of the run.
  const CallProgram& program_of_next(std::uint32_t rank, const Action& action);

  // The rank arrives at an in-memory barrier of the call at its worker's time. The last arrival schedules the wake-up
  // of all members for the end of the barrier.
  void arrive(std::uint32_t rank, const Action& action);
  // The same, but completes the request at the end of the barrier instead of waking the rank.
  void arrive(const MessageEnd& end, const Action& action);
  // The rank's work between the two barriers of a blocking call, at speed 1; none where the call has one barrier.
  [[nodiscard]] std::optional<Seconds> work_between_barriers(std::uint32_t rank, const Action& action) const;

 private:
  // The arrivals at one barrier of a call in memory.
  struct InMemoryBarrier {
    std::uint64_t arrived = 0;
    std::uint64_t bytes = 0;  // longest vector of a member, where the last arrival combines all vectors
    Seconds latest = 0.0;
    std::vector<MessageEnd> ends{};  // requests of members that do not wait to be woken
  };
  struct Comm {
    std::vector<std::uint32_t> members;                            // ranks; empty: all of the job
    std::vector<std::pair<std::uint32_t, std::uint32_t>> numbers;  // (rank, member), by rank
    InMemoryBarrier blocking_barrier;
    std::map<std::uint64_t, InMemoryBarrier> pending_barriers;  // of nonblocking calls, by number
    std::vector<std::uint32_t> barriers_joined;                 // by member: barriers of nonblocking calls it joined
    std::vector<std::uint32_t> calls_by_messages;               // by member: nonblocking calls it made through messages
    bool locality_known = false;
    bool in_memory = false;
    std::uint32_t workers = 0;
  };
  struct ProgramKey {
    std::uint64_t bytes = 0;
    std::uint32_t call = 0;
    std::uint32_t member = 0;
    std::uint32_t lane = 0;
    friend bool operator==(const ProgramKey&, const ProgramKey&) = default;
  };
  struct ProgramHash {
    std::size_t operator()(const ProgramKey& key) const {
      return (key.bytes * 0x9e3779b97f4a7c15U) ^ (std::uint64_t{key.call} << 40) ^ (key.member * 0xc2b2ae3d27d4eb4fU) ^
             (key.lane * 0x165667b19e3779f9U);
    }
  };

  [[nodiscard]] std::uint32_t size_of(std::uint32_t comm) const;
  std::uint32_t member_of(std::uint32_t comm, std::uint32_t rank) const;  // throws WorkloadError where it is none
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t comm, std::uint32_t member) const;
  [[nodiscard]] MemoryCall memory_call(std::uint32_t rank, const Action& action) const;
  void find_locality(std::uint32_t comm);
  bool is_in_memory(std::uint32_t comm);
  const CallProgram& find_program(std::uint32_t member, const Action& action, std::uint32_t lane);
  std::uint32_t channel(std::uint32_t comm, std::uint32_t lane, std::uint64_t ends);
  // Returns whether the rank is the last member to arrive.
  bool count_arrival(InMemoryBarrier& barrier, std::uint32_t rank, const Action& action);
  void release(const InMemoryBarrier& barrier, std::uint32_t comm);

  const Workload& workload_;
  const InMemoryCost cost_;
  const Seconds copy_per_byte_;
  SimState& state_;
  Messaging& messaging_;
  std::vector<Comm> comms_;
  std::unordered_map<ProgramKey, std::unique_ptr<CallProgram>, ProgramHash> programs_;
  // Calls that may be pending at the same time use different lanes, since their messages may overtake each other. Keys:
  // communicator and lane, then (from, to). Blocking calls use lane 0.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unordered_map<std::uint64_t, std::uint32_t>> channels_;
  std::uint32_t lanes_ = 0;              // for nonblocking calls that are not persistent
  std::vector<std::uint32_t> requests_;  // by rank: number of request slots for blocking calls
};

}  // namespace weft::sim
