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
constexpr std::array<std::string_view, kCallForms> kCallFormNames{"process", "processes", "request"};

// The algorithms of one collective: those by messages, for every form of the call, and those in memory beside them.
struct AvailableAlgorithms {
  Collective call;
  std::string_view name;
  Algorithms by_messages;
  Algorithms in_memory;
  Algorithms with_request = 0;
};
constexpr std::array kAvailable{
    AvailableAlgorithms{Collective::barrier, "barrier", set_of(binomial, dissemination), set_of(in_memory),
                        set_of(deferred)},
    AvailableAlgorithms{Collective::bcast, "bcast", set_of(binomial, pipelined), set_of(in_memory)},
    AvailableAlgorithms{Collective::gather, "gather", set_of(binomial, linear), set_of(in_memory)},
    AvailableAlgorithms{Collective::scatter, "scatter", set_of(binomial, linear), set_of(in_memory)},
    AvailableAlgorithms{Collective::allgather, "allgather", set_of(binomial, ring), set_of(in_memory)},
    AvailableAlgorithms{Collective::alltoall, "alltoall", set_of(linear), set_of(in_memory)},
    AvailableAlgorithms{Collective::reduce, "reduce", set_of(binomial, reduce_scatter_allgather),
                        set_of(in_memory, in_memory_split)},
    AvailableAlgorithms{Collective::allreduce, "allreduce",
                        set_of(binomial, reduce_scatter_allgather, recursive_doubling),
                        set_of(in_memory, in_memory_split), set_of(deferred)},
    AvailableAlgorithms{Collective::reduce_scatter, "reduce_scatter", set_of(binomial, reduce_scatter_allgather),
                        set_of(in_memory, in_memory_split), set_of(deferred)},
    AvailableAlgorithms{Collective::scan, "scan", set_of(chain), set_of(in_memory, in_memory_split)},
};
constexpr auto kCalls = [] {
  std::array<Collective, kAvailable.size()> calls{};
  std::ranges::transform(kAvailable, calls.begin(), &AvailableAlgorithms::call);
  return calls;
}();

const AvailableAlgorithms* available_algorithms(Collective call) {
  const auto* const found = std::ranges::find(kAvailable, call, &AvailableAlgorithms::call);
  return found == kAvailable.end() ? nullptr : found;
}

template <typename Enum, std::size_t N>
std::optional<Enum> named(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<Enum>(found - names.begin()));
}

ChoiceProbe* probe_of(const Communicator& comm, const Choice& choice) {
  const auto rank = static_cast<std::uint32_t>(comm.shared->group->job_rank(comm.rank));
  if (rank >= choice_sources.probes.size()) {
    return nullptr;
  }
  ChoiceProbe& probe = choice_sources.probes[rank];
  return probe.call == choice.call && probe.form == choice.form ? &probe : nullptr;
}

// Calls of threads that a rank has started are left out: a timeline has no place for them.
void trace_choice(Algorithm algorithm) {
  const runtime::Worker* const here = runtime::Worker::current();
  if (here != nullptr && here->recorder() != nullptr && here->running() != nullptr &&
      here->context() == here->running()) {
    here->recorder()->record_algorithm(here->running()->id, algorithm_name(algorithm).data());
  }
}

}  // namespace

std::span<const Collective> tunable_collectives() { return kCalls; }

Algorithms algorithms_of(Collective call, CallForm form) {
  const AvailableAlgorithms* const available = available_algorithms(call);
  if (available == nullptr) {
    return 0;
  }
  return available->by_messages | (form == CallForm::one_process    ? available->in_memory
                                   : form == CallForm::with_request ? available->with_request
                                                                    : 0);
}

std::string_view algorithm_name(Algorithm algorithm) { return kAlgorithmNames[static_cast<std::size_t>(algorithm)]; }
std::string_view call_form_name(CallForm form) { return kCallFormNames[static_cast<std::size_t>(form)]; }
std::string_view collective_name(Collective call) {
  const AvailableAlgorithms* const available = available_algorithms(call);
  return available == nullptr ? "" : available->name;
}
std::optional<Algorithm> algorithm_named(std::string_view name) { return named<Algorithm>(kAlgorithmNames, name); }
std::optional<CallForm> call_form_named(std::string_view name) { return named<CallForm>(kCallFormNames, name); }
std::optional<Collective> collective_named(std::string_view name) {
  const auto* const found = std::ranges::find(kAvailable, name, &AvailableAlgorithms::name);
  return found == kAvailable.end() ? std::nullopt : std::optional(found->call);
}

Algorithm choose_by_sources(const Communicator& comm, const Choice& choice) {
  ChoiceProbe* const probe = choice_sources.probes.empty() ? nullptr : probe_of(comm, choice);
  std::optional<Algorithm> wanted = probe == nullptr ? std::nullopt : probe->forced;
  if (!wanted && choice_sources.table != nullptr) {
    wanted =
        choice_sources.table->find(choice.form, choice.call, static_cast<std::uint32_t>(comm.size()), choice.bytes);
  }
  const Algorithm taken = wanted && contains(choice.possible, *wanted) ? *wanted : choice.built_in;
  if (probe != nullptr) {
    probe->used = taken;
  }
  if (calls_are_traced) {
    trace_choice(taken);
  }
  return taken;
}

}  // namespace coll
}  // namespace weft::mpi_shim
