// What reductions by messages share: their values, and the choice of the algorithm by the vector's length. Its .cpp
// also has run_reduction() and run_intracomm_reduction() of message_algorithms.hpp.
#pragma once

#include "mpi_shim/coll/reduce/values.hpp"

namespace weft::mpi_shim::by_messages {

// Packed; 0 if the program's operation works on an empty datatype.
std::size_t bytes_of_element(const Reduction& reduction);

// The algorithm of a reduction that is no scan. Built in are `binomial` for short vectors and, for long ones,
// `reduce_scatter_allgather`, in which every member combines a part. `members`: how many the call has.
Algorithm choose_by_length(CollectiveSteps& executor, const Reduction& reduction, int members);

}  // namespace weft::mpi_shim::by_messages
