#include "mpi_shim/coll/choice.hpp"

#include <algorithm>
#include <array>

#include "mpi_shim/entry/traced_calls.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/timeline/recorder.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

using enum Algorithm;

constexpr std::array<std::string_view, kAlgorithms> kAlgorithmNames{
    "in_memory",          "in_memory_split", "binomial", "pipelined", "linear", "ring", "reduce_scatter_allgather",
    "recursive_doubling", "dissemination",   "chain",    "deferred"};
constexpr std::array<std::string_view, kSites> kSiteNames{"process", "processes", "request"};

// What there is by messages, and what beside that in memory, for calls that block and for those that have a request.
struct Offer {
  Collective call;
  std::string_view name;
  Algorithms by_messages;
  Algorithms in_memory;
  Algorithms with_request = 0;
};
constexpr std::array kOffers{
    Offer{Collective::barrier, "barrier", set_of(binomial, dissemination), set_of(in_memory), set_of(deferred)},
    Offer{Collective::bcast, "bcast", set_of(binomial, pipelined), set_of(in_memory)},
    Offer{Collective::gather, "gather", set_of(binomial, linear), set_of(in_memory)},
    Offer{Collective::scatter, "scatter", set_of(binomial, linear), set_of(in_memory)},
    Offer{Collective::allgather, "allgather", set_of(binomial, ring), set_of(in_memory)},
    Offer{Collective::alltoall, "alltoall", set_of(linear), set_of(in_memory)},
    Offer{Collective::reduce, "reduce", set_of(binomial, reduce_scatter_allgather), set_of(in_memory, in_memory_split)},
    Offer{Collective::allreduce, "allreduce", set_of(binomial, reduce_scatter_allgather, recursive_doubling),
          set_of(in_memory, in_memory_split), set_of(deferred)},
    Offer{Collective::reduce_scatter, "reduce_scatter", set_of(binomial, reduce_scatter_allgather),
          set_of(in_memory, in_memory_split), set_of(deferred)},
    Offer{Collective::scan, "scan", set_of(chain), set_of(in_memory, in_memory_split)},
};
constexpr auto kCalls = [] {
  std::array<Collective, kOffers.size()> calls{};
  std::ranges::transform(kOffers, calls.begin(), &Offer::call);
  return calls;
}();

const Offer* offer_of(Collective call) {
  const auto* const found = std::ranges::find(kOffers, call, &Offer::call);
  return found == kOffers.end() ? nullptr : found;
}

template <typename Enum, std::size_t N>
std::optional<Enum> named(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<Enum>(found - names.begin()));
}

ChoiceProbe* probe_of(const Communicator& comm, const Choice& choice) {
  const auto rank = static_cast<std::uint32_t>(comm.shared->group->world_rank(comm.rank));
  if (rank >= choice_sources.probes.size()) {
    return nullptr;
  }
  ChoiceProbe& probe = choice_sources.probes[rank];
  return probe.call == choice.call && probe.site == choice.site ? &probe : nullptr;
}

// Not in calls of threads that a rank has started, which have no place in a timeline.
void trace_choice(Algorithm algorithm) {
  const runtime::Worker* const here = runtime::Worker::current();
  if (here != nullptr && here->recorder() != nullptr && here->running() != nullptr &&
      here->context() == here->running()) {
    here->recorder()->chooses(here->running()->id, algorithm_name(algorithm).data());
  }
}

}  // namespace

std::span<const Collective> chosen_calls() { return kCalls; }

Algorithms algorithms_of(Collective call, Site site) {
  const Offer* const offer = offer_of(call);
  if (offer == nullptr) {
    return 0;
  }
  return offer->by_messages | (site == Site::process   ? offer->in_memory
                               : site == Site::request ? offer->with_request
                                                       : 0);
}

std::string_view algorithm_name(Algorithm algorithm) { return kAlgorithmNames[static_cast<std::size_t>(algorithm)]; }
std::string_view site_name(Site site) { return kSiteNames[static_cast<std::size_t>(site)]; }
std::string_view choice_name(Collective call) {
  const Offer* const offer = offer_of(call);
  return offer == nullptr ? "" : offer->name;
}
std::optional<Algorithm> algorithm_named(std::string_view name) { return named<Algorithm>(kAlgorithmNames, name); }
std::optional<Site> site_named(std::string_view name) { return named<Site>(kSiteNames, name); }
std::optional<Collective> call_named(std::string_view name) {
  const auto* const found = std::ranges::find(kOffers, name, &Offer::name);
  return found == kOffers.end() ? std::nullopt : std::optional(found->call);
}

Algorithm choose_by_sources(const Communicator& comm, const Choice& choice) {
  ChoiceProbe* const probe = choice_sources.probes.empty() ? nullptr : probe_of(comm, choice);
  std::optional<Algorithm> wanted = probe == nullptr ? std::nullopt : probe->forced;
  if (!wanted && choice_sources.table != nullptr) {
    wanted =
        choice_sources.table->find(choice.site, choice.call, static_cast<std::uint32_t>(comm.size()), choice.bytes);
  }
  const Algorithm taken = wanted && contains(choice.possible, *wanted) ? *wanted : choice.built_in;
  if (probe != nullptr) {
    probe->took = taken;
  }
  if (calls_are_traced) {
    trace_choice(taken);
  }
  return taken;
}

}  // namespace coll
}  // namespace weft::mpi_shim
