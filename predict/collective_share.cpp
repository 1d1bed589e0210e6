#include "predict/collective_share.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace weft::predict {

using sim::CollectiveKind;

double block_bytes(CollectiveKind kind, double out, double in) {
  switch (kind) {
    case CollectiveKind::barrier:
      return 0.0;
    case CollectiveKind::bcast:
      return std::max(out, in);
    case CollectiveKind::scatter:
    case CollectiveKind::allgather:
      return in;
    case CollectiveKind::gather:
    case CollectiveKind::reduce:
    case CollectiveKind::alltoall:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::allreduce:
    case CollectiveKind::scan:
    case CollectiveKind::exscan:
      return out;
  }
  return 0.0;
}

MessageShare collective_share(CollectiveKind kind, std::uint32_t members, double bytes) {
  if (members < 2) {
    return {};
  }
  const double others = members - 1.0;
  const double part = others / members;
  const double rounds = std::bit_width(members - 1);
  switch (kind) {
    case CollectiveKind::barrier:
      return {.messages = rounds, .bytes = 0.0};
    case CollectiveKind::bcast:
    case CollectiveKind::gather:
    case CollectiveKind::reduce:
    case CollectiveKind::scatter:
      return {.messages = part, .bytes = part * bytes};
    case CollectiveKind::allgather:
      return {.messages = rounds, .bytes = part * bytes};
    case CollectiveKind::alltoall:
    case CollectiveKind::reduce_scatter:
      return {.messages = others, .bytes = part * bytes};
    case CollectiveKind::allreduce:
    case CollectiveKind::scan:
    case CollectiveKind::exscan:
      return {.messages = rounds, .bytes = rounds * bytes};
  }
  return {};
}

MessageShare share_of(const CollectiveCalls& calls) {
  const auto count = static_cast<double>(calls.calls);
  if (!calls.kind) {
    return {.messages = count, .bytes = calls.bytes};
  }
  const MessageShare share =
      collective_share(*calls.kind, static_cast<std::uint32_t>(calls.members.size()), calls.bytes / count);
  return {.messages = count * share.messages, .bytes = count * share.bytes};
}

MessageShare share_between_nodes(const CollectiveCalls& calls, std::uint32_t ranks, std::uint32_t nodes) {
  std::set<std::uint64_t> used;
  for (const std::uint32_t rank : calls.members) {
    used.insert(std::uint64_t{rank} * nodes / ranks);
  }
  if (used.size() < 2) {
    return {};
  }
  const auto count = static_cast<double>(calls.calls);
  const double members = static_cast<double>(calls.members.size());
  const double across = static_cast<double>(used.size());
  const double part = (across - 1.0) / across;
  if (!calls.kind) {
    return {.messages = count * part, .bytes = calls.bytes * part};
  }
  if (calls.kind == CollectiveKind::alltoall) {
    return {.messages = count * members * part, .bytes = calls.bytes * part};
  }
  const bool blocks_are_joined = calls.kind == CollectiveKind::gather || calls.kind == CollectiveKind::scatter;
  const double bytes = calls.bytes / count * (blocks_are_joined ? members / across : 1.0);
  const MessageShare share = collective_share(*calls.kind, static_cast<std::uint32_t>(used.size()), bytes);
  const double node_calls = count / members * across;
  return {.messages = node_calls * share.messages, .bytes = node_calls * share.bytes};
}

}  // namespace weft::predict
