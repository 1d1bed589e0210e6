// Calls on intercommunicators: members 0 speak for their groups where one message is enough, else members send to
// members.
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/reduce/reduce_messages.hpp"

namespace weft::mpi_shim::spread {
namespace {

using runtime::Buffer;

// A block from every member of the other group.
std::vector<CollectiveSteps::Ticket> receive_all(CollectiveSteps& steps, const Peers& others, const Blocks& places) {
  std::vector<CollectiveSteps::Ticket> receives;
  for (int from = 0; from < others.size(); ++from) {
    receives.push_back(steps.start_receive(others, from, places[static_cast<std::size_t>(from)]));
  }
  return receives;
}

// A block to every member of the other group.
void send_all(CollectiveSteps& steps, const Peers& others, const BlockOf& block) {
  std::vector<CollectiveSteps::Ticket> sends;
  for (int to = 0; to < others.size(); ++to) {
    sends.push_back(steps.start_send(others, to, block(to)));
  }
  steps.wait_all(sends);
}

// At the two members 0.
void swap_values(CollectiveSteps& steps, const Peers& others, const Buffer& mine, const Buffer& theirs) {
  const auto receive = steps.start_receive(others, 0, theirs);
  steps.send(others, 0, mine);
  steps.wait(receive);
}

void reduce_for_root(CollectiveSteps& steps, const Peers& own, const Peers& others, const Reduction& reduction) {
  Values values(steps, reduction);
  if (reduction.root == MPI_ROOT) {
    steps.receive(others, 0, values.output(0, reduction.elements));
    return;
  }
  void* const ours = combine(steps, own, reduction);
  if (own.rank() == 0) {
    steps.send(others, reduction.root, values.run(ours, 0, reduction.elements));
  }
}

}  // namespace

void inter_barrier(CollectiveSteps& steps) {
  const Peers own = steps.own_group(Collective::barrier);
  const Tree tree(own.rank(), own.size());
  come_up(steps, own, tree);
  if (tree.is_root()) {
    const Peers others = steps.other_group(Collective::barrier);
    steps.send(others, 0, {});
    steps.receive(others, 0, {});
  }
  go_down(steps, own, tree);
}

void inter_bcast(CollectiveSteps& steps, const Buffer& buffer, int root) {
  const Peers others = steps.other_group(Collective::bcast);
  if (root == MPI_ROOT) {
    steps.send(others, 0, buffer);
    return;
  }
  if (steps.comm().rank == 0) {
    steps.receive(others, root, buffer);
  }
  hand_down(steps, steps.own_group(Collective::bcast), 0, buffer);
}

void inter_gather(CollectiveSteps& steps, const Buffer& own, const Blocks& places, int root) {
  const Peers others = steps.other_group(Collective::gather);
  if (root != MPI_ROOT) {
    steps.send(others, root, own);
    return;
  }
  std::vector<CollectiveSteps::Ticket> receives = receive_all(steps, others, places);
  steps.wait_all(receives);
}

void inter_scatter(CollectiveSteps& steps, const Blocks& blocks, const Buffer& own, int root) {
  const Peers others = steps.other_group(Collective::scatter);
  if (root != MPI_ROOT) {
    steps.receive(others, root, own);
    return;
  }
  send_all(steps, others, [&](int member) { return blocks[static_cast<std::size_t>(member)]; });
}

void inter_allgather(CollectiveSteps& steps, const Buffer& own, const Blocks& places) {
  const Peers others = steps.other_group(Collective::allgather);
  std::vector<CollectiveSteps::Ticket> receives = receive_all(steps, others, places);
  send_all(steps, others, [&](int) { return own; });
  steps.wait_all(receives);
}

void inter_alltoall(CollectiveSteps& steps, const Blocks& blocks, const Blocks& places) {
  const Peers others = steps.other_group(Collective::alltoall);
  std::vector<CollectiveSteps::Ticket> receives = receive_all(steps, others, places);
  send_all(steps, others, [&](int member) { return blocks[static_cast<std::size_t>(member)]; });
  steps.wait_all(receives);
}

void inter_reduce(CollectiveSteps& steps, const Reduction& reduction) {
  steps.reduces(reduction);
  const Peers own = steps.own_group(reduction.call);
  const Peers others = steps.other_group(reduction.call);
  if (reduction.outcome == Outcome::at_root) {
    reduce_for_root(steps, own, others, reduction);
    return;
  }
  Values values(steps, reduction);
  const std::size_t n = reduction.elements;
  void* const ours = combine(steps, own, reduction);
  void* const theirs = own.rank() == 0 ? values.room(n) : nullptr;
  if (own.rank() == 0) {
    swap_values(steps, others, values.run(ours, 0, n), values.run(theirs, 0, n));
  }
  if (reduction.outcome == Outcome::spread) {
    take_block(steps, own, reduction, theirs);
    return;
  }
  if (own.rank() == 0) {
    values.store(theirs, 0, n, 0);
  }
  hand_down(steps, own, 0, values.output(0, n));
}

}  // namespace weft::mpi_shim::spread
