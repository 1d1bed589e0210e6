// Calls on intercommunicators: members 0 speak for their groups where one message is enough, else members send to
// members.
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/reduce/reduce_messages.hpp"
#include "mpi_shim/coll/steps/barrier.hpp"

namespace weft::mpi_shim::by_messages {
namespace {

using runtime::Buffer;

// A block from every member of the other group.
std::vector<CollectiveSteps::Ticket> receive_all(CollectiveSteps& executor, const Peers& others, const Blocks& places) {
  std::vector<CollectiveSteps::Ticket> receives;
  for (int from = 0; from < others.size(); ++from) {
    receives.push_back(executor.start_receive(others, from, places[static_cast<std::size_t>(from)]));
  }
  return receives;
}

// A block to every member of the other group.
template <typename BlockOf>
void send_all(CollectiveSteps& executor, const Peers& others, const BlockOf& block) {
  std::vector<CollectiveSteps::Ticket> sends;
  for (int to = 0; to < others.size(); ++to) {
    sends.push_back(executor.start_send(others, to, block(to)));
  }
  executor.wait_all(sends);
}

// At the two members 0.
void swap_values(CollectiveSteps& executor, const Peers& others, const Buffer& mine, const Buffer& theirs) {
  const auto receive = executor.start_receive(others, 0, theirs);
  executor.send(others, 0, mine);
  executor.wait(receive);
}

void reduce_for_root(CollectiveSteps& executor, const Peers& own, const Peers& others, const Reduction& reduction) {
  ReductionValues values(executor, reduction);
  if (reduction.root == MPI_ROOT) {
    executor.receive(others, 0, values.output(0, reduction.elements));
    return;
  }
  void* const ours = steps::combine_binomial(executor, own, values, reduction.elements);
  if (own.rank() == 0) {
    executor.send(others, reduction.root, values.run(ours, 0, reduction.elements));
  }
}

}  // namespace

void inter_barrier(CollectiveSteps& executor) {
  const Peers own = executor.own_group(Collective::barrier);
  const steps::Tree tree(own.rank(), own.size());
  steps::signal_root(executor, own, tree);
  if (tree.is_root()) {
    const Peers others = executor.other_group(Collective::barrier);
    executor.send(others, 0, {});
    executor.receive(others, 0, {});
  }
  steps::signal_all(executor, own, tree);
}

void inter_bcast(CollectiveSteps& executor, const Buffer& buffer, int root) {
  const Peers others = executor.other_group(Collective::bcast);
  if (root == MPI_ROOT) {
    executor.send(others, 0, buffer);
    return;
  }
  if (executor.comm().rank == 0) {
    executor.receive(others, root, buffer);
  }
  steps::bcast_by_length(executor, executor.own_group(Collective::bcast), 0, buffer);
}

void inter_gather(CollectiveSteps& executor, const Buffer& own, const Blocks& places, int root) {
  const Peers others = executor.other_group(Collective::gather);
  if (root != MPI_ROOT) {
    executor.send(others, root, own);
    return;
  }
  std::vector<CollectiveSteps::Ticket> receives = receive_all(executor, others, places);
  executor.wait_all(receives);
}

void inter_scatter(CollectiveSteps& executor, const Blocks& blocks, const Buffer& own, int root) {
  const Peers others = executor.other_group(Collective::scatter);
  if (root != MPI_ROOT) {
    executor.receive(others, root, own);
    return;
  }
  send_all(executor, others, [&](int member) { return blocks[static_cast<std::size_t>(member)]; });
}

void inter_allgather(CollectiveSteps& executor, const Buffer& own, const Blocks& places) {
  const Peers others = executor.other_group(Collective::allgather);
  std::vector<CollectiveSteps::Ticket> receives = receive_all(executor, others, places);
  send_all(executor, others, [&](int) { return own; });
  executor.wait_all(receives);
}

void inter_alltoall(CollectiveSteps& executor, const Blocks& blocks, const Blocks& places) {
  const Peers others = executor.other_group(Collective::alltoall);
  std::vector<CollectiveSteps::Ticket> receives = receive_all(executor, others, places);
  send_all(executor, others, [&](int member) { return blocks[static_cast<std::size_t>(member)]; });
  executor.wait_all(receives);
}

void inter_reduce(CollectiveSteps& executor, const Reduction& reduction) {
  executor.reduces(reduction);
  const Peers own = executor.own_group(reduction.call);
  const Peers others = executor.other_group(reduction.call);
  if (reduction.outcome == Outcome::at_root) {
    reduce_for_root(executor, own, others, reduction);
    return;
  }
  ReductionValues values(executor, reduction);
  const std::size_t n = reduction.elements;
  void* const ours = steps::combine_binomial(executor, own, values, reduction.elements);
  void* const theirs = own.rank() == 0 ? values.room(n) : nullptr;
  if (own.rank() == 0) {
    swap_values(executor, others, values.run(ours, 0, n), values.run(theirs, 0, n));
  }
  if (reduction.outcome == Outcome::scattered) {
    steps::scatter_blocks(executor, own, values, theirs, reduction.starts);
    return;
  }
  if (own.rank() == 0) {
    values.store(theirs, 0, n, 0);
  }
  steps::bcast_by_length(executor, own, 0, values.output(0, n));
}

}  // namespace weft::mpi_shim::by_messages
