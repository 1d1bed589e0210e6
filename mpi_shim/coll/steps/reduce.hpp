// Steps of MPI_Reduce.
#pragma once

#include <cstddef>
#include <vector>

#include "mpi_shim/coll/steps/combine.hpp"

namespace weft::mpi_shim::steps {

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

}  // namespace weft::mpi_shim::steps
