// Steps of collective calls on intercommunicators. Where one message is enough, it goes between the members 0 of the
// groups; otherwise every member sends to every member. In rooted calls the other members of the root's group do
// nothing and call none of these functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mpi_shim/coll/steps/barrier.hpp"
#include "mpi_shim/coll/steps/bcast.hpp"
#include "mpi_shim/coll/steps/combine.hpp"
#include "mpi_shim/coll/steps/reduce_scatter.hpp"

namespace weft::mpi_shim::steps {

// The two groups as a member sees them.
template <typename Members>
struct Groups {
  Members own;
  Members others;  // its rank() has no meaning
};

template <Executor E>
void inter_barrier(E& executor, const Groups<typename E::Members>& groups) {
  const Tree tree(groups.own.rank(), groups.own.size());
  signal_root(executor, groups.own, tree);
  if (tree.is_root()) {
    const auto receive = executor.start_receive(groups.others, 0, {});
    executor.send(groups.others, 0, {});
    executor.wait(receive);
  }
  signal_all(executor, groups.own, tree);
}

// For the members of the group that receives; the root sends to their member 0.
template <Executor E>
void inter_bcast(E& executor, const Groups<typename E::Members>& groups, int root, const typename E::Memory& memory) {
  if (groups.own.rank() == 0) {
    executor.receive(groups.others, root, memory);
  }
  bcast_by_length(executor, groups.own, 0, memory);
}

// Starts the receives of a block from every member of the other group.
template <Executor E, typename PlaceOf>
std::vector<std::size_t> start_receives(E& executor, const typename E::Members& others, const PlaceOf& place) {
  std::vector<std::size_t> receives;
  for (int from = 0; from < others.size(); ++from) {
    receives.push_back(executor.start_receive(others, from, place(from)));
  }
  return receives;
}

// Receives a block from every member of the other group.
template <Executor E, typename PlaceOf>
void receive_of_all(E& executor, const typename E::Members& others, const PlaceOf& place) {
  std::vector<std::size_t> receives = start_receives(executor, others, place);
  executor.wait_all(receives);
}

// Sends a block to every member of the other group.
template <Executor E, typename BlockOf>
void send_to_all(E& executor, const typename E::Members& others, const BlockOf& block) {
  std::vector<std::size_t> sends;
  for (int to = 0; to < others.size(); ++to) {
    sends.push_back(executor.start_send(others, to, block(to)));
  }
  executor.wait_all(sends);
}

// `block(i)` is sent to member i of the other group, and `place(i)` receives from it.
template <Executor E, typename BlockOf, typename PlaceOf>
void inter_alltoall(E& executor, const typename E::Members& others, const BlockOf& block, const PlaceOf& place) {
  std::vector<std::size_t> receives = start_receives(executor, others, place);
  send_to_all(executor, others, block);
  executor.wait_all(receives);
}

// For the members of the group that has the input; the result goes to the root.
template <Executor E, Values V>
void inter_reduce(E& executor, const Groups<typename E::Members>& groups, V& values, std::size_t elements, int root) {
  void* const ours = combine_binomial(executor, groups.own, values, elements);
  if (groups.own.rank() == 0) {
    executor.send(groups.others, root, values.slice(ours, 0, elements));
  }
}

// Exchanges the groups' results. Returns the other group's at member 0, null at other members.
template <Executor E, Values V>
void* swap_results(E& executor, const Groups<typename E::Members>& groups, V& values, std::size_t elements) {
  void* const ours = combine_binomial(executor, groups.own, values, elements);
  if (groups.own.rank() != 0) {
    return nullptr;
  }
  void* const theirs = values.allocate(elements);
  const auto receive = executor.start_receive(groups.others, 0, values.slice(theirs, 0, elements));
  executor.send(groups.others, 0, values.slice(ours, 0, elements));
  executor.wait(receive);
  return theirs;
}

// All members of each group get the other group's result.
template <Executor E, Values V>
void inter_allreduce(E& executor, const Groups<typename E::Members>& groups, V& values, std::size_t elements) {
  void* const theirs = swap_results(executor, groups, values, elements);
  if (groups.own.rank() == 0) {
    values.store(theirs, 0, elements, 0);
  }
  bcast_by_length(executor, groups.own, 0, values.output(0, elements));
}

// Member i of each group gets elements starts[i] … starts[i + 1] of the other group's result.
template <Executor E, Values V>
void inter_reduce_scatter(E& executor, const Groups<typename E::Members>& groups, V& values,
                          std::span<const std::size_t> starts) {
  void* const theirs = swap_results(executor, groups, values, starts.back());
  scatter_blocks(executor, groups.own, values, theirs, starts);
}

}  // namespace weft::mpi_shim::steps
