// Calls on intercommunicators: members 0 speak for their groups where one message is enough, else members send to
// members.
#include "mpi_shim/collective/spread/reduce.hpp"
#include "mpi_shim/collective/spread/spread.hpp"

namespace weft::mpi_shim::spread {
namespace {

using runtime::Buffer;

Peers own_group(const Entry& entry, const Communicator& comm, Collective call) {
  return Peers::within(entry.me, comm, static_cast<int>(call) + kOwnGroupTag);
}

Peers other_group(const Entry& entry, const Communicator& comm, Collective call) {
  return Peers::across(entry.me, comm, static_cast<int>(call) + kAcrossTag);
}

int result_of(const Entry& entry, const Communicator& comm, int from, std::uint64_t sent, std::size_t room) {
  return sent <= room ? MPI_SUCCESS : raise_too_long(entry, comm.handle, from, sent, room);
}

// A block from every member of the other group.
class Receives {
 public:
  Receives(const Peers& others, const Blocks& places)
      : others_(others), places_(places), requests_(static_cast<std::size_t>(others.size())) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      others.start_receive(static_cast<int>(i), places[i], requests_[i]);
    }
  }
  int finish(const Entry& entry, const Communicator& comm) {
    others_.wait(requests_);
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i].truncated) {
        return raise_too_long(entry, comm.handle, static_cast<int>(i), requests_[i].sent, places_[i].bytes);
      }
    }
    return MPI_SUCCESS;
  }

 private:
  const Peers& others_;
  const Blocks& places_;
  std::vector<runtime::Request> requests_;
};

// A block to every member of the other group.
void send_all(const Peers& others, const BlockOf& block) {
  std::vector<runtime::Request> sends(static_cast<std::size_t>(others.size()));
  for (std::size_t i = 0; i < sends.size(); ++i) {
    others.start_send(static_cast<int>(i), block(static_cast<int>(i)), sends[i]);
  }
  others.wait(sends);
}

// At the two members 0.
void swap_values(const Peers& others, const Partial& mine, Partial& theirs) {
  runtime::Request receive;
  others.start_receive(0, theirs.buffer(), receive);
  others.send(0, mine.buffer());
  others.wait(receive);
}

}  // namespace

int inter_barrier(const Entry& entry, const Communicator& comm) {
  const Peers own = own_group(entry, comm, Collective::barrier);
  const Tree tree(comm.rank, comm.size());
  tree.up([&](int child, int) { own.receive(child, {}); });
  if (tree.is_root()) {
    const Peers others = other_group(entry, comm, Collective::barrier);
    others.send(0, {});
    others.receive(0, {});
  } else {
    own.send(tree.parent(), {});
    own.receive(tree.parent(), {});
  }
  tree.down([&](int child, int) { own.send(child, {}); });
  return MPI_SUCCESS;
}

int inter_bcast(const Entry& entry, const Communicator& comm, const Buffer& buffer, int root) {
  const Peers others = other_group(entry, comm, Collective::bcast);
  if (root == MPI_ROOT) {
    others.send(0, buffer);
    return MPI_SUCCESS;
  }
  const std::uint64_t sent = comm.rank == 0 ? others.receive(root, buffer) : 0;
  hand_down(own_group(entry, comm, Collective::bcast), 0, buffer);
  return result_of(entry, comm, root, sent, buffer.bytes);
}

int inter_gather(const Entry& entry, const Communicator& comm, const Buffer& own, const Blocks& places, int root) {
  const Peers others = other_group(entry, comm, Collective::gather);
  if (root != MPI_ROOT) {
    others.send(root, own);
    return MPI_SUCCESS;
  }
  return Receives(others, places).finish(entry, comm);
}

int inter_scatter(const Entry& entry, const Communicator& comm, const Blocks& blocks, const Buffer& own, int root) {
  const Peers others = other_group(entry, comm, Collective::scatter);
  if (root != MPI_ROOT) {
    return result_of(entry, comm, root, others.receive(root, own), own.bytes);
  }
  send_all(others, [&](int member) { return blocks[static_cast<std::size_t>(member)]; });
  return MPI_SUCCESS;
}

int inter_allgather(const Entry& entry, const Communicator& comm, const Buffer& own, const Blocks& places) {
  const Peers others = other_group(entry, comm, Collective::allgather);
  Receives receives(others, places);
  send_all(others, [&](int) { return own; });
  return receives.finish(entry, comm);
}

int inter_alltoall(const Entry& entry, const Communicator& comm, const Blocks& blocks, const Blocks& places) {
  const Peers others = other_group(entry, comm, Collective::alltoall);
  Receives receives(others, places);
  send_all(others, [&](int member) { return blocks[static_cast<std::size_t>(member)]; });
  return receives.finish(entry, comm);
}

int inter_reduce(const Entry& entry, const Communicator& comm, const Reduction& reduction) {
  const Peers own = own_group(entry, comm, reduction.call);
  const Peers others = other_group(entry, comm, reduction.call);
  Partial theirs(reduction, {0, reduction.elements});
  if (reduction.outcome == Outcome::at_root) {
    if (reduction.root == MPI_ROOT) {
      others.receive(0, theirs.buffer());
      theirs.store(0, theirs.count(), 0);
      return MPI_SUCCESS;
    }
    const Partial ours = combine(own, reduction);
    if (comm.rank == 0) {
      others.send(reduction.root, ours.buffer());
    }
    return MPI_SUCCESS;
  }
  const Partial ours = combine(own, reduction);
  if (comm.rank == 0) {
    swap_values(others, ours, theirs);
  }
  if (reduction.outcome == Outcome::at_all) {
    hand_down(own, 0, theirs.buffer());
    theirs.store(0, theirs.count(), 0);
  } else {
    take_block(own, reduction, theirs);
  }
  return MPI_SUCCESS;
}

}  // namespace weft::mpi_shim::spread
