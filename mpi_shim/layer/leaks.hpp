// Finds what a rank has not freed, completed or received at its end (--check).
#pragma once

#include <vector>

#include "mpi_shim/state/leak.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace layer {

// The rank's unmatched messages, then the requests, communicators, datatypes and other objects that it has not freed.
std::vector<Leak> leaks_of(RankState& me);

}  // namespace layer
}  // namespace weft::mpi_shim
