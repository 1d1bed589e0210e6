#include "predict/collective_share.hpp"

#include <algorithm>
#include <bit>

namespace weft::predict {

MessageShare collective_share(sim::CollectiveKind kind, std::uint32_t members, double out, double in) {
  if (members < 2) {
    return {};
  }
  const double others = members - 1.0;
  const double part = others / members;
  const double rounds = std::bit_width(members - 1);
  switch (kind) {
    case sim::CollectiveKind::barrier:
      return {.messages = rounds, .bytes = 0.0};
    case sim::CollectiveKind::bcast:
      return {.messages = part, .bytes = part * std::max(out, in)};
    case sim::CollectiveKind::gather:
    case sim::CollectiveKind::reduce:
      return {.messages = part, .bytes = part * out};
    case sim::CollectiveKind::scatter:
      return {.messages = part, .bytes = part * in};
    case sim::CollectiveKind::allgather:
      return {.messages = rounds, .bytes = part * in};
    case sim::CollectiveKind::alltoall:
    case sim::CollectiveKind::reduce_scatter:
      return {.messages = others, .bytes = part * out};
    case sim::CollectiveKind::allreduce:
    case sim::CollectiveKind::scan:
    case sim::CollectiveKind::exscan:
      return {.messages = rounds, .bytes = rounds * out};
  }
  return {};
}

}  // namespace weft::predict
