// Chooses the algorithm of a collective call: the built-in one, unless a measured table names another (--collectives,
// written by --tune). All members choose the same, since the choice depends only on what all of them know.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mpi_shim/coll/call_check.hpp"

namespace weft::mpi_shim {
inline namespace coll {

enum class Algorithm : std::uint8_t {
  in_memory,                 // members read each other's buffers or a flag exchange, or the last one combines
  in_memory_split,           // members combine pieces of the vectors, each whenever it is free
  binomial,                  // messages along a binomial tree over the rank numbers
  pipelined,                 // the same, a long message in pieces
  linear,                    // messages between the root and each member, or between all pairs
  ring,                      // messages around a ring
  reduce_scatter_allgather,  // each member combines its part of all vectors, then the parts are gathered
  recursive_doubling,        // members exchange values in pairs, then pairs with pairs, and so on
  dissemination,             // messages to the members at distances 1, 2, 4, …
  chain,                     // messages from each member to the next
  deferred,                  // in memory, for a call with a request: the member that comes last combines for all
};
inline constexpr int kAlgorithms = static_cast<int>(Algorithm::deferred) + 1;

using Algorithms = std::uint32_t;  // a set
constexpr Algorithms set_of(std::same_as<Algorithm> auto... each) {
  return ((1U << static_cast<unsigned>(each)) | ... | 0U);
}
constexpr bool contains(Algorithms set, Algorithm algorithm) { return (set & set_of(algorithm)) != 0; }

// What decides which algorithms a call can use: whether it blocks, and where its members live.
enum class CallForm : std::uint8_t {
  one_process,        // blocking; all members in one process, so that they can synchronize in memory
  several_processes,  // blocking; members in several processes
  with_request,       // non-blocking or persistent, wherever members live
};
inline constexpr int kCallForms = static_cast<int>(CallForm::with_request) + 1;

struct Choice {
  Collective call;  // as base_collective() gives it
  CallForm form;
  std::size_t bytes;   // of the vector, or of one member's block: the same at all members
  Algorithm built_in;  // one of `possible`
  Algorithms possible;
};

// The collective without v, w or _block: tables have rows for these only.
constexpr Collective base_collective(Collective call) {
  switch (call) {
    case Collective::gatherv:
      return Collective::gather;
    case Collective::scatterv:
      return Collective::scatter;
    case Collective::allgatherv:
      return Collective::allgather;
    case Collective::alltoallv:
    case Collective::alltoallw:
      return Collective::alltoall;
    case Collective::reduce_scatter_block:
      return Collective::reduce_scatter;
    case Collective::exscan:
      return Collective::scan;
    default:
      return call;
  }
}

// The collectives for which an algorithm can be chosen, and the algorithms of each.
std::span<const Collective> tunable_collectives();
Algorithms algorithms_of(Collective call, CallForm form);

std::string_view algorithm_name(Algorithm algorithm);
std::string_view call_form_name(CallForm form);
std::string_view collective_name(Collective call);  // "allreduce"
std::optional<Algorithm> algorithm_named(std::string_view name);
std::optional<CallForm> call_form_named(std::string_view name);
std::optional<Collective> collective_named(std::string_view name);

// A table of measured choices, as ChoiceTable has it. Constant while ranks run.
class ChoiceLookup {
 public:
  virtual ~ChoiceLookup() = default;
  // The algorithm that was fastest for such a call; nothing if such calls were not measured.
  virtual std::optional<Algorithm> find(CallForm form, Collective call, std::uint32_t ranks,
                                        std::uint64_t bytes) const = 0;
};

// Which algorithm the tuner wants one rank's calls to use, and which they used. Touched by that rank alone.
struct ChoiceProbe {
  std::optional<Collective> call;  // concerns this collective in this form only
  CallForm form = CallForm::one_process;
  std::optional<Algorithm> forced;  // taken where it is possible
  std::optional<Algorithm> used;    // by the last such call
};

// What overrides built-in choices in this process; written before any rank runs.
struct ChoiceSources {
  const ChoiceLookup* table = nullptr;
  std::span<ChoiceProbe> probes;  // by rank of the job; empty: the tuner does not run
};
inline ChoiceSources choice_sources;
// False while choice_sources has a table or probes. Written with it.
inline bool choices_are_built_in = true;

// choose() with a table, a tuner or a timeline.
Algorithm choose_by_sources(const Communicator& comm, const Choice& choice);

inline Algorithm choose(const Communicator& comm, const Choice& choice) {
  return choices_are_built_in && !calls_are_traced ? choice.built_in : choose_by_sources(comm, choice);
}

// The choice of a blocking call whose members live in one process; synchronizing in memory is built in.
inline Algorithm choose_in_memory(const Communicator& comm, Collective call, std::size_t bytes) {
  const Collective choice = base_collective(call);
  return choose(comm,
                {choice, CallForm::one_process, bytes, Algorithm::in_memory,
                 choices_are_built_in ? set_of(Algorithm::in_memory) : algorithms_of(choice, CallForm::one_process)});
}

}  // namespace coll
}  // namespace weft::mpi_shim
