// Steps of MPI_Reduce_scatter(_block). Block i is elements starts[i] … starts[i + 1]; member i gets it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mpi_shim/coll/steps/combine.hpp"

namespace weft::mpi_shim::steps {

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
