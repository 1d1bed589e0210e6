// Collective calls of a simulated run. Members in one process synchronize in memory, at a calibrated cost; others carry
// out the steps of Weft's own algorithms (mpi_shim/coll/steps), which are written down as actions for each member.
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

// What a call costs where members move bytes or combine them: seconds at speed 1.
struct CallWork {
  Seconds copy_per_byte = 0.1e-9;
  Seconds combine_per_byte = 0.1e-9;
};

class Collectives {
 public:
  Collectives(const Workload& workload, const Platform& platform, SimState& state, Messaging& messaging);

  // Whether the members meet in memory, as all live in one process. Of calls with a request, only some do.
  bool meets_in_memory(std::uint32_t rank, const Action& action);
  // After a balancing step.
  void forget_places();

  // The rank's steps of the call; they stay where they are. Gives the rank room for requests.
  const Action* program(std::uint32_t rank, const Action& action);
  // The same for the rank's next call with a request.
  const CallProgram& program_of_next(std::uint32_t rank, const Action& action);

  // The rank has come to a meeting of the call in memory, at its worker's time. With the last one, all members are
  // woken when it is over.
  void arrive(std::uint32_t rank, const Action& action);
  // The same, but the request is complete when it is over.
  void arrive(const MessageEnd& end, const Action& action);
  // What the rank does after the first meeting of a call that blocks, at speed 1; none where there is no second one.
  [[nodiscard]] std::optional<Seconds> work_between(std::uint32_t rank, const Action& action) const;

 private:
  // Members who come to one call in memory.
  struct Meeting {
    std::uint64_t arrived = 0;
    std::uint64_t bytes = 0;  // the most that a member has brought for the last one to combine
    Seconds latest = 0.0;
    std::vector<MessageEnd> ends{};  // of those that do not wait to be woken
  };
  struct Comm {
    std::vector<std::uint32_t> members;                            // ranks; empty: all of the job
    std::vector<std::pair<std::uint32_t, std::uint32_t>> numbers;  // (rank, member), by rank
    Meeting blocking;
    std::map<std::uint64_t, Meeting> with_request;  // those that not all have come to, by number
    std::vector<std::uint32_t> meetings;            // by member: with a request, that it has come to
    std::vector<std::uint32_t> by_messages;         // by member: calls with a request by messages that it has made
    bool places_known = false;
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
  void find_places(std::uint32_t comm);
  bool is_in_memory(std::uint32_t comm);
  const CallProgram& find_program(std::uint32_t member, const Action& action, std::uint32_t lane);
  std::uint32_t channel(std::uint32_t comm, std::uint32_t lane, std::uint64_t ends);
  bool all_have_come(Meeting& meeting, std::uint32_t rank, const Action& action);
  void release(const Meeting& meeting, std::uint32_t comm);

  const Workload& workload_;
  const InMemoryCost cost_;
  const Seconds copy_per_byte_;
  SimState& state_;
  Messaging& messaging_;
  std::vector<Comm> comms_;
  std::unordered_map<ProgramKey, std::unique_ptr<CallProgram>, ProgramHash> programs_;
  // Calls that are pending at once have lanes of their own, as their messages may overtake each other: by communicator
  // and lane, then (from, to). Lane 0 is that of calls that block.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unordered_map<std::uint64_t, std::uint32_t>> channels_;
  std::uint32_t lanes_ = 0;              // for calls with a request that are not persistent
  std::vector<std::uint32_t> requests_;  // by rank: slots that it has for calls
};

}  // namespace weft::sim
