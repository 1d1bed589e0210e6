#include "mpi_shim/coll/rooted_messages.hpp"

namespace weft::mpi_shim::by_messages {
namespace {

constexpr std::size_t kShortBlock = 2048;

}  // namespace

RootedPlan plan_of(CollectiveSteps& executor, const RootedCall& call, const CheckedRooted& rooted) {
  using enum Algorithm;
  const bool alike = call.kind == Collective::gather || call.kind == Collective::scatter;
  const std::size_t block = !alike ? 0 : rooted.is_root ? rooted.side.blocks.bytes() : rooted.own.bytes;
  const Algorithm built_in = alike && block <= kShortBlock ? binomial : linear;
  const Algorithms possible = alike ? set_of(binomial, linear) : set_of(linear);
  return {block, executor.choose(base_collective(call.kind), block, built_in, possible)};
}

}  // namespace weft::mpi_shim::by_messages
