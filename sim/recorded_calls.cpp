#include "sim/recorded_calls.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace weft::sim {
namespace {

struct Refusal {
  std::string_view begin;  // of the name
  std::string_view reason;
  bool whole;  // `begin` is the whole name
};
constexpr std::array kRefusals{
    Refusal{"Win_", "windows", false},
    Refusal{"Put", "windows", true},
    Refusal{"Get", "windows", true},
    Refusal{"Accumulate", "windows", true},
    Refusal{"Get_accumulate", "windows", true},
    Refusal{"Rput", "windows", true},
    Refusal{"Rget", "windows", false},
    Refusal{"Raccumulate", "windows", true},
    Refusal{"Fetch_and_op", "windows", true},
    Refusal{"Compare_and_swap", "windows", true},
    Refusal{"File_", "files", false},
    Refusal{"Psend_init", "partitioned messages", true},
    Refusal{"Precv_init", "partitioned messages", true},
    Refusal{"Comm_spawn", "spawned processes", false},
    Refusal{"Comm_accept", "connections to other jobs", true},
    Refusal{"Comm_connect", "connections to other jobs", true},
    Refusal{"Comm_join", "connections to other jobs", true},
};

struct Collective {
  std::string_view name;  // in lower case
  CollectiveKind kind;
  bool varies;
};
constexpr std::array kCollectives{
    Collective{"barrier", CollectiveKind::barrier, false},
    Collective{"bcast", CollectiveKind::bcast, false},
    Collective{"gather", CollectiveKind::gather, false},
    Collective{"gatherv", CollectiveKind::gather, true},
    Collective{"scatter", CollectiveKind::scatter, false},
    Collective{"scatterv", CollectiveKind::scatter, true},
    Collective{"allgather", CollectiveKind::allgather, false},
    Collective{"allgatherv", CollectiveKind::allgather, true},
    Collective{"alltoall", CollectiveKind::alltoall, false},
    Collective{"alltoallv", CollectiveKind::alltoall, true},
    Collective{"alltoallw", CollectiveKind::alltoall, true},
    Collective{"reduce", CollectiveKind::reduce, false},
    Collective{"allreduce", CollectiveKind::allreduce, false},
    Collective{"reduce_scatter", CollectiveKind::reduce_scatter, true},
    Collective{"reduce_scatter_block", CollectiveKind::reduce_scatter, false},
    Collective{"scan", CollectiveKind::scan, false},
    Collective{"exscan", CollectiveKind::exscan, false},
};

// Prefixes of the names of calls that create communicators.
constexpr std::array<std::string_view, 9> kCreations{
    "Comm_dup", "Comm_idup",    "Comm_split",        "Comm_create",      "Cart_create",
    "Cart_sub", "Graph_create", "Dist_graph_create", "Intercomm_create",
};

bool takes_end(std::string_view& name, std::string_view end) {
  if (!name.ends_with(end)) {
    return false;
  }
  name.remove_suffix(end.size());
  return true;
}

const Collective* collective_named(std::string_view name) {
  std::string small(name);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* found = std::ranges::find(kCollectives, small, &Collective::name);
  if (found == kCollectives.end() && small.starts_with('i')) {
    found = std::ranges::find(kCollectives, small.substr(1), &Collective::name);
  }
  return found == kCollectives.end() ? nullptr : found;
}

CallClass class_of(std::string_view name) {
  if (name.starts_with("Wait")) {
    return CallClass::completion;
  }
  if (name == "Test" || name == "Testall" || name == "Testany" || name == "Testsome" || name == "Iprobe" ||
      name == "Improbe" || name == "Request_get_status") {
    return CallClass::poll;
  }
  if (name == "Bsend" || name == "Ibsend") {
    return CallClass::buffered;
  }
  const bool creates = std::ranges::any_of(kCreations, [&](std::string_view begin) { return name.starts_with(begin); });
  return creates ? CallClass::creation : CallClass::other;
}

}  // namespace

CallMeaning meaning_of(std::string_view name) {
  name.remove_prefix(name.starts_with("PMPI_") ? 5 : name.starts_with("MPI_") ? 4 : 0);
  for (const Refusal& refusal : kRefusals) {
    if (refusal.whole ? name == refusal.begin : name.starts_with(refusal.begin)) {
      return {.what = CallClass::refused, .reason = refusal.reason};
    }
  }
  takes_end(name, "_c");
  const bool persistent = takes_end(name, "_init");
  CallMeaning meaning{.what = class_of(name), .persistent = persistent};
  meaning.neighbours = name.starts_with("Neighbor_") || name.starts_with("Ineighbor_");
  if (const Collective* const found = collective_named(name); found != nullptr) {
    meaning.collective = found->kind;
    meaning.varies = found->varies;
  } else if (meaning.what == CallClass::creation) {
    meaning.collective = CollectiveKind::barrier;
  }
  return meaning;
}

}  // namespace weft::sim
