// Calls on intercommunicators by messages: the checked arguments handed to the algorithms of steps/intercomm.hpp.
#include "mpi_shim/coll/steps/intercomm.hpp"

#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/reduce/values.hpp"

namespace weft::mpi_shim::by_messages {
namespace {

using runtime::Buffer;

steps::Groups<Peers> groups(const CollectiveSteps& executor, Collective call) {
  return {executor.own_group(call), executor.other_group(call)};
}

auto by_member(const Blocks& blocks) {
  return [&blocks](int member) { return blocks[static_cast<std::size_t>(member)]; };
}

}  // namespace

void inter_barrier(CollectiveSteps& executor) { steps::inter_barrier(executor, groups(executor, Collective::barrier)); }

void inter_bcast(CollectiveSteps& executor, const Buffer& buffer, int root) {
  if (root == MPI_ROOT) {
    executor.send(executor.other_group(Collective::bcast), 0, buffer);
  } else {
    steps::inter_bcast(executor, groups(executor, Collective::bcast), root, buffer);
  }
}

void inter_gather(CollectiveSteps& executor, const Buffer& own, const Blocks& places, int root) {
  const Peers others = executor.other_group(Collective::gather);
  if (root == MPI_ROOT) {
    steps::receive_of_all(executor, others, by_member(places));
  } else {
    executor.send(others, root, own);
  }
}

void inter_scatter(CollectiveSteps& executor, const Blocks& blocks, const Buffer& own, int root) {
  const Peers others = executor.other_group(Collective::scatter);
  if (root == MPI_ROOT) {
    steps::send_to_all(executor, others, by_member(blocks));
  } else {
    executor.receive(others, root, own);
  }
}

void inter_allgather(CollectiveSteps& executor, const Buffer& own, const Blocks& places) {
  const auto block = [&own](int) { return own; };
  steps::inter_alltoall(executor, executor.other_group(Collective::allgather), block, by_member(places));
}

void inter_alltoall(CollectiveSteps& executor, const Blocks& blocks, const Blocks& places) {
  steps::inter_alltoall(executor, executor.other_group(Collective::alltoall), by_member(blocks), by_member(places));
}

void inter_reduce(CollectiveSteps& executor, const Reduction& reduction) {
  executor.begin_reduction(reduction);
  ReductionValues values(executor, reduction);
  const steps::Groups<Peers> both = groups(executor, reduction.call);
  if (reduction.outcome == Outcome::scattered) {
    steps::inter_reduce_scatter(executor, both, values, reduction.starts);
  } else if (reduction.outcome == Outcome::at_all) {
    steps::inter_allreduce(executor, both, values, reduction.elements);
  } else if (reduction.root == MPI_ROOT) {
    executor.receive(both.others, 0, values.output(0, reduction.elements));
  } else {
    steps::inter_reduce(executor, both, values, reduction.elements, reduction.root);
  }
}

}  // namespace weft::mpi_shim::by_messages
