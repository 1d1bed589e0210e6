#include "sim/recorded_collectives.hpp"

#include <utility>

namespace weft::sim {
namespace {

// Action::value: one block, or the vector of a reduction.
std::uint64_t bytes_of(const RecordedCollective& call, std::uint64_t members) {
  switch (*call.meaning.collective) {
    case CollectiveKind::barrier:
      return 0;
    case CollectiveKind::bcast:
    case CollectiveKind::scatter:
    case CollectiveKind::reduce_scatter:
      return call.in;
    case CollectiveKind::allgather:
    case CollectiveKind::alltoall:
      return call.out / members;
    default:
      return call.out;
  }
}

// CollectiveCall::counts, where the member knows them.
const std::vector<std::uint64_t>& blocks_of(const RecordedCollective& call) {
  const CollectiveKind kind = *call.meaning.collective;
  const bool sent = kind == CollectiveKind::scatter || kind == CollectiveKind::alltoall;
  const bool reduced = kind == CollectiveKind::reduce_scatter && call.in_blocks.empty();
  return sent || reduced ? call.out_blocks : call.in_blocks;
}

}  // namespace

std::optional<Action> CollectiveList::action(const RecordedCollective& call) {
  const auto& group = comms_.all()[call.comm].group;
  if (call.comm == trace::Communicators::kSelf || group.size() < 2) {
    return std::nullopt;
  }
  const bool has_elements = call.element > 0 && call.element <= UINT16_MAX;
  std::vector<std::uint64_t> blocks;
  if (call.meaning.varies && blocks_of(call).size() == group.size()) {
    blocks = blocks_of(call);
  }
  const std::uint32_t number =
      list({*call.meaning.collective, call.meaning.varies, static_cast<std::uint16_t>(has_elements ? call.element : 1),
            comm_of(call.comm), call.root, std::move(blocks)});
  return Action{.kind = ActionKind::collective, .index = number, .value = bytes_of(call, group.size())};
}

std::uint32_t CollectiveList::comm_of(std::uint32_t recorded) {
  const auto [at, is_new] = known_.try_emplace(recorded);
  if (!is_new) {
    return at->second;
  }
  const auto& group = comms_.all()[recorded].group;
  bool is_all = !has_all_ && group.size() == ranks_;
  for (std::uint32_t member = 0; is_all && member < ranks_; ++member) {
    is_all = group[member] == member;
  }
  has_all_ = has_all_ || is_all;
  if (!is_all) {
    at->second = static_cast<std::uint32_t>(workload_.comms.size());
    workload_.comms.push_back({.first_member = workload_.members.size(), .members = group.size()});
    workload_.members.insert(workload_.members.end(), group.begin(), group.end());
  }
  return at->second;
}

std::uint32_t CollectiveList::list(const CallKey& key) {
  const auto [at, is_new] = calls_.try_emplace(key, static_cast<std::uint32_t>(workload_.calls.size()));
  if (is_new) {
    const auto& [kind, varies, element, comm, root, blocks] = key;
    workload_.calls.push_back({.kind = kind,
                               .varies = static_cast<std::uint8_t>(varies ? 1 : 0),
                               .element = element,
                               .comm = comm,
                               .root = root,
                               .counts = static_cast<std::uint32_t>(blocks.size()),
                               .first_count = blocks.empty() ? 0 : workload_.counts.size()});
    workload_.counts.insert(workload_.counts.end(), blocks.begin(), blocks.end());
  }
  return at->second;
}

}  // namespace weft::sim
