// Which algorithm a collective call goes by: the built-in choice, unless a table that was measured says otherwise
// (--collectives, written by --tune). All members choose alike, for all know what the choice depends on.
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
  in_memory,                 // members copy from each other, or who comes last combines; or all read a flag exchange
  in_memory_split,           // members combine pieces of the vector, each when it is free
  binomial,                  // messages along a binomial tree over the rank numbers
  pipelined,                 // the same, a long message in pieces
  linear,                    // messages between the root and each, or between all pairs
  ring,                      // messages around a ring
  reduce_scatter_allgather,  // each member combines a part of all the others' vectors, then the parts are gathered
  recursive_doubling,        // members swap values in pairs, then with the next pair, and so on
  dissemination,             // each sends to the next, the one after, the fourth, and so on
  chain,                     // messages from each member to the next
  deferred,                  // in memory, behind a request: who comes last combines for all
};
inline constexpr int kAlgorithms = static_cast<int>(Algorithm::deferred) + 1;

using Algorithms = std::uint32_t;  // a set
constexpr Algorithms set_of(std::same_as<Algorithm> auto... each) {
  return ((1U << static_cast<unsigned>(each)) | ... | 0U);
}
constexpr bool contains(Algorithms set, Algorithm algorithm) { return (set & set_of(algorithm)) != 0; }

// Where members are, as far as algorithms care.
enum class Site : std::uint8_t {
  process,    // all in one process: they may meet
  processes,  // in several
  request,    // anywhere, in a call that has a request
};
inline constexpr int kSites = static_cast<int>(Site::request) + 1;

struct Choice {
  Collective call;  // choice_of() it
  Site site;
  std::size_t bytes;   // of the vector, or of one member's block: the same at all members
  Algorithm built_in;  // one of the possible
  Algorithms possible;
};

// The form without v, w or _block, under which a call's choices are kept.
constexpr Collective choice_of(Collective call) {
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

// The calls that have a choice somewhere, and what they choose among.
std::span<const Collective> chosen_calls();
Algorithms algorithms_of(Collective call, Site site);

std::string_view algorithm_name(Algorithm algorithm);
std::string_view site_name(Site site);
std::string_view choice_name(Collective call);  // "allreduce"
std::optional<Algorithm> algorithm_named(std::string_view name);
std::optional<Site> site_named(std::string_view name);
std::optional<Collective> call_named(std::string_view name);

// What was measured; see ChoiceTable. Constant while ranks run.
class ChoiceLookup {
 public:
  virtual ~ChoiceLookup() = default;
  // The algorithm that was fastest for such a call; nothing where that was not measured.
  virtual std::optional<Algorithm> find(Site site, Collective call, std::uint32_t ranks, std::uint64_t bytes) const = 0;
};

// Which algorithms the tuner wants one rank's calls to use, and which they used. Touched by that rank alone.
struct ChoiceProbe {
  std::optional<Collective> call;  // whose choice it watches
  Site site = Site::process;
  std::optional<Algorithm> forced;  // taken where it is possible
  std::optional<Algorithm> took;    // by the last such call
};

// The process's; written before any rank runs.
struct ChoiceSources {
  const ChoiceLookup* table = nullptr;
  std::span<ChoiceProbe> probes;  // by rank of the job; empty: nobody measures
};
inline ChoiceSources choice_sources;
inline bool choices_are_built_in = true;

Algorithm choose_by_sources(const Communicator& comm, const Choice& choice);

inline Algorithm choose(const Communicator& comm, const Choice& choice) {
  return choices_are_built_in && !calls_are_traced ? choice.built_in : choose_by_sources(comm, choice);
}

// Of members who may meet, which is built in, or do all else that the call offers.
inline Algorithm choose_in_memory(const Communicator& comm, Collective call, std::size_t bytes) {
  const Collective choice = choice_of(call);
  return choose(comm, {choice, Site::process, bytes, Algorithm::in_memory,
                       choices_are_built_in ? set_of(Algorithm::in_memory) : algorithms_of(choice, Site::process)});
}

}  // namespace coll
}  // namespace weft::mpi_shim
