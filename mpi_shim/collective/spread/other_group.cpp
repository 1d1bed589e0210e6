// Calls on intercommunicators: members 0 speak for their groups where one message is enough, else members send to
// members.
#include "mpi_shim/collective/spread/reduce.hpp"
#include "mpi_shim/collective/spread/spread.hpp"

namespace weft::mpi_shim::spread {
namespace {

using runtime::Buffer;

// A block from every member of the other group.
std::vector<Course::Ticket> receive_all(Course& course, const Peers& others, const Blocks& places) {
  std::vector<Course::Ticket> receives;
  for (int from = 0; from < others.size(); ++from) {
    receives.push_back(course.start_receive(others, from, places[static_cast<std::size_t>(from)]));
  }
  return receives;
}

// A block to every member of the other group.
void send_all(Course& course, const Peers& others, const BlockOf& block) {
  std::vector<Course::Ticket> sends;
  for (int to = 0; to < others.size(); ++to) {
    sends.push_back(course.start_send(others, to, block(to)));
  }
  course.wait_all(sends);
}

// At the two members 0.
void swap_values(Course& course, const Peers& others, const Buffer& mine, const Buffer& theirs) {
  const auto receive = course.start_receive(others, 0, theirs);
  course.send(others, 0, mine);
  course.wait(receive);
}

void reduce_for_root(Course& course, const Peers& own, const Peers& others, const Reduction& reduction) {
  Values values(course, reduction);
  if (reduction.root == MPI_ROOT) {
    course.receive(others, 0, values.output(0, reduction.elements));
    return;
  }
  void* const ours = combine(course, own, reduction);
  if (own.rank() == 0) {
    course.send(others, reduction.root, values.run(ours, 0, reduction.elements));
  }
}

}  // namespace

void inter_barrier(Course& course) {
  const Peers own = course.own_group(Collective::barrier);
  const Tree tree(own.rank(), own.size());
  come_up(course, own, tree);
  if (tree.is_root()) {
    const Peers others = course.other_group(Collective::barrier);
    course.send(others, 0, {});
    course.receive(others, 0, {});
  }
  go_down(course, own, tree);
}

void inter_bcast(Course& course, const Buffer& buffer, int root) {
  const Peers others = course.other_group(Collective::bcast);
  if (root == MPI_ROOT) {
    course.send(others, 0, buffer);
    return;
  }
  if (course.comm().rank == 0) {
    course.receive(others, root, buffer);
  }
  hand_down(course, course.own_group(Collective::bcast), 0, buffer);
}

void inter_gather(Course& course, const Buffer& own, const Blocks& places, int root) {
  const Peers others = course.other_group(Collective::gather);
  if (root != MPI_ROOT) {
    course.send(others, root, own);
    return;
  }
  std::vector<Course::Ticket> receives = receive_all(course, others, places);
  course.wait_all(receives);
}

void inter_scatter(Course& course, const Blocks& blocks, const Buffer& own, int root) {
  const Peers others = course.other_group(Collective::scatter);
  if (root != MPI_ROOT) {
    course.receive(others, root, own);
    return;
  }
  send_all(course, others, [&](int member) { return blocks[static_cast<std::size_t>(member)]; });
}

void inter_allgather(Course& course, const Buffer& own, const Blocks& places) {
  const Peers others = course.other_group(Collective::allgather);
  std::vector<Course::Ticket> receives = receive_all(course, others, places);
  send_all(course, others, [&](int) { return own; });
  course.wait_all(receives);
}

void inter_alltoall(Course& course, const Blocks& blocks, const Blocks& places) {
  const Peers others = course.other_group(Collective::alltoall);
  std::vector<Course::Ticket> receives = receive_all(course, others, places);
  send_all(course, others, [&](int member) { return blocks[static_cast<std::size_t>(member)]; });
  course.wait_all(receives);
}

void inter_reduce(Course& course, const Reduction& reduction) {
  course.reduces(reduction);
  const Peers own = course.own_group(reduction.call);
  const Peers others = course.other_group(reduction.call);
  if (reduction.outcome == Outcome::at_root) {
    reduce_for_root(course, own, others, reduction);
    return;
  }
  Values values(course, reduction);
  const std::size_t n = reduction.elements;
  void* const ours = combine(course, own, reduction);
  void* const theirs = own.rank() == 0 ? values.room(n) : nullptr;
  if (own.rank() == 0) {
    swap_values(course, others, values.run(ours, 0, n), values.run(theirs, 0, n));
  }
  if (reduction.outcome == Outcome::spread) {
    take_block(course, own, reduction, theirs);
    return;
  }
  if (own.rank() == 0) {
    values.store(theirs, 0, n, 0);
  }
  hand_down(course, own, 0, values.output(0, n));
}

}  // namespace weft::mpi_shim::spread
