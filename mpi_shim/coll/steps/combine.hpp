// What reductions share: combining the members' vectors in the order that tree.hpp describes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mpi_shim/coll/steps/executor.hpp"
#include "mpi_shim/coll/steps/tree.hpp"

namespace weft::mpi_shim::steps {

// Combines the members' whole vectors up a binomial tree. Returns the result at member 0. What it returns at other
// members is a part of it, or null, and of no use.
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

}  // namespace weft::mpi_shim::steps
