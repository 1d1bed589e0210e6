// Steps of MPI_Allreduce.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "mpi_shim/coll/steps/allgather.hpp"
#include "mpi_shim/coll/steps/bcast.hpp"
#include "mpi_shim/coll/steps/combine.hpp"

namespace weft::mpi_shim::steps {

template <Executor E, Values V>
void allreduce_binomial(E& executor, const typename E::Members& members, V& values, std::size_t elements) {
  void* const whole = combine_binomial(executor, members, values, elements);
  if (members.rank() == 0) {
    values.store(whole, 0, elements, 0);
  }
  bcast_by_length(executor, members, 0, values.output(0, elements));
}

// Every member combines a part; the parts go around a ring.
template <Executor E, Values V>
void allreduce_reduce_scatter_allgather(E& executor, const typename E::Members& members, V& values,
                                        std::size_t elements) {
  const std::vector<std::size_t> starts = equal_parts(elements, values.unit(), members.size());
  void* const part = combine_part(executor, members, values, starts);
  const auto place = [&](int member) {
    const auto i = static_cast<std::size_t>(member);
    return values.output(starts[i], starts[i + 1] - starts[i]);
  };
  const auto me = static_cast<std::size_t>(members.rank());
  values.store(part, 0, starts[me + 1] - starts[me], starts[me]);
  allgather_ring(executor, members, place);
}

// One member's messages at a level of the tree. All members of a block of `step` consecutive members have the block's
// value, and exchange it with the block beside theirs. If the upper block is shorter, each of its members sends to
// several of the lower block.
struct Swap {
  int from = 0;   // sends to this member
  int first = 0;  // this member sends to `first`, first + stride, …, below `end`
  int stride = 1;
  int end = 0;
  bool upper = false;  // this member is in the upper block
};

inline Swap swap_at(int rank, int size, int step) {
  const int base = rank & ~(2 * step - 1);
  const int middle = base + step;
  const int above = std::min(step, size - middle);  // members of the upper block
  if (rank >= middle) {
    return {rank - step, rank - step, above, middle, true};
  }
  const int place = rank - base;
  return {middle + place % above, middle + place, 1, place < above ? middle + place + 1 : 0, false};
}

// Members of neighbouring blocks of 1, 2, 4, … members exchange their blocks' values.
template <Executor E, Values V>
void allreduce_recursive_doubling(E& executor, const typename E::Members& members, V& values, std::size_t elements) {
  void* running = values.allocate(elements);
  void* other = values.allocate(elements);
  values.load(running, 0, elements);
  std::vector<std::size_t> messages;
  for (int step = 1; step < members.size(); step *= 2) {
    if ((members.rank() & ~(2 * step - 1)) + step >= members.size()) {
      continue;  // nobody is above this member's block
    }
    const Swap swap = swap_at(members.rank(), members.size(), step);
    messages.push_back(executor.start_receive(members, swap.from, values.slice(other, 0, elements)));
    for (int to = swap.first; to < swap.end; to += swap.stride) {
      messages.push_back(executor.start_send(members, to, values.slice(running, 0, elements)));
    }
    executor.wait_all(messages);
    if (swap.upper) {
      std::swap(running, other);
    }
    values.combine(running, other, elements);
  }
  values.store(running, 0, elements, 0);
}

}  // namespace weft::mpi_shim::steps
