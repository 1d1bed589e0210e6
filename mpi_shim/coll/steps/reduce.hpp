// Steps of reductions. All combine in one fixed tree over the rank numbers, so that every algorithm gives the same
// bits. Let n be a power of two and i a multiple of 2n: the value of members [i, i + 2n) is that of [i, i + n) op that
// of [i + n, i + 2n). A range that the group's end cuts has the value of its members in the group.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "mpi_shim/coll/steps/allgather.hpp"

namespace weft::mpi_shim::steps {

// Combines the members' whole vectors up a binomial tree. Only member 0 gets the result.
template <Executor E, Values V>
void* combine_binomial(E& executor, const typename E::Members& members, V& values, std::size_t elements) {
  const Tree tree(members.rank(), members.size());
  if (const auto mine = values.input(0, elements); tree.extent() == 1 && !tree.is_root() && mine.layout == nullptr) {
    executor.send(members, tree.parent(), mine);
    return nullptr;
  }
  void* running = values.allocate(elements);
  values.load(running, 0, elements);
  if (tree.extent() > 1) {
    void* right = values.allocate(elements);
    tree.up([&](int child, int) {
      executor.receive(members, child, values.slice(right, 0, elements));
      values.combine(running, right, elements);
    });
  }
  if (!tree.is_root()) {
    executor.send(members, tree.parent(), values.slice(running, 0, elements));
  }
  return running;
}

// Member i gets elements starts[i] … starts[i + 1] of all vectors, combines them, and returns the result.
template <Executor E, Values V>
void* combine_part(E& executor, const typename E::Members& members, V& values, std::span<const std::size_t> starts) {
  const auto size = static_cast<std::size_t>(members.size());
  const auto me = static_cast<std::size_t>(members.rank());
  const std::size_t mine = starts[me + 1] - starts[me];
  std::vector<void*> parts(size);
  std::vector<std::size_t> receives, sends;
  for (std::size_t from = 0; from < size; ++from) {
    parts[from] = values.allocate(mine);
    if (from != me && mine != 0) {
      receives.push_back(executor.start_receive(members, static_cast<int>(from), values.slice(parts[from], 0, mine)));
    }
  }
  for (std::size_t step = 1; step < size; ++step) {
    const std::size_t to = (me + step) % size;
    if (const std::size_t n = starts[to + 1] - starts[to]; n != 0) {
      sends.push_back(executor.start_send(members, static_cast<int>(to), values.input(starts[to], n)));
    }
  }
  values.load(parts[me], starts[me], mine);
  executor.wait_all(receives);
  for (std::size_t step = 1; step < size; step *= 2) {
    for (std::size_t left = 0; left + step < size; left += 2 * step) {
      values.combine(parts[left], parts[left + step], mine);
    }
  }
  executor.wait_all(sends);
  return parts.front();
}

// The first elements of nearly equal parts of a vector, one for each member, and its end. All are multiples of `unit`.
inline std::vector<std::size_t> equal_parts(std::size_t elements, std::size_t unit, int members) {
  const auto n = static_cast<std::size_t>(members);
  const std::size_t units = elements / unit;
  std::vector<std::size_t> starts(n + 1);
  for (std::size_t i = 0; i <= n; ++i) {
    starts[i] = (units / n * i + units % n * i / n) * unit;
  }
  return starts;
}

// --- the whole at one member ---

template <Executor E, Values V>
void reduce_binomial(E& executor, const typename E::Members& members, V& values, std::size_t elements, int root) {
  void* const whole = combine_binomial(executor, members, values, elements);
  if (members.rank() == 0 && root != 0) {
    executor.send(members, root, values.slice(whole, 0, elements));
  } else if (members.rank() == root && root == 0) {
    values.store(whole, 0, elements, 0);
  } else if (members.rank() == root) {
    executor.receive(members, 0, values.output(0, elements));
  }
}

// Every member combines a part and sends it to the root.
template <Executor E, Values V>
void reduce_reduce_scatter_gather(E& executor, const typename E::Members& members, V& values, std::size_t elements,
                                  int root) {
  const std::vector<std::size_t> starts = equal_parts(elements, values.unit(), members.size());
  void* const part = combine_part(executor, members, values, starts);
  const auto me = static_cast<std::size_t>(members.rank());
  const std::size_t n = starts[me + 1] - starts[me];
  if (members.rank() != root) {
    executor.send(members, root, values.slice(part, 0, n));
    return;
  }
  std::vector<std::size_t> receives;
  for (std::size_t from = 0; from + 1 < starts.size(); ++from) {
    if (from != me) {
      const auto place = values.output(starts[from], starts[from + 1] - starts[from]);
      receives.push_back(executor.start_receive(members, static_cast<int>(from), place));
    }
  }
  values.store(part, 0, n, starts[me]);
  executor.wait_all(receives);
}

// --- the whole at each member ---

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

// --- block i, elements starts[i] … starts[i + 1], at member i ---

// Scatters member 0's `whole`: every member stores its block.
template <Executor E, Values V>
void scatter_blocks(E& executor, const typename E::Members& members, V& values, void* whole,
                    std::span<const std::size_t> starts) {
  if (members.rank() == 0) {
    std::vector<std::size_t> sends;
    for (std::size_t to = 1; to + 1 < starts.size(); ++to) {
      if (const std::size_t n = starts[to + 1] - starts[to]; n != 0) {
        sends.push_back(executor.start_send(members, static_cast<int>(to), values.slice(whole, starts[to], n)));
      }
    }
    values.store(whole, 0, starts[1], 0);
    executor.wait_all(sends);
    return;
  }
  const auto me = static_cast<std::size_t>(members.rank());
  if (const std::size_t n = starts[me + 1] - starts[me]; n != 0) {
    executor.receive(members, 0, values.output(0, n));
  }
}

// Member 0 gets the result up the binomial tree and scatters the blocks.
template <Executor E, Values V>
void reduce_scatter_binomial(E& executor, const typename E::Members& members, V& values,
                             std::span<const std::size_t> starts) {
  void* const whole = combine_binomial(executor, members, values, starts.back());
  scatter_blocks(executor, members, values, whole, starts);
}

// Every member combines its own block of all vectors.
template <Executor E, Values V>
void reduce_scatter_linear(E& executor, const typename E::Members& members, V& values,
                           std::span<const std::size_t> starts) {
  const auto me = static_cast<std::size_t>(members.rank());
  void* const block = combine_part(executor, members, values, starts);
  values.store(block, 0, starts[me + 1] - starts[me], 0);
}

}  // namespace weft::mpi_shim::steps
