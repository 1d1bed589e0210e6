// Finds what a rank has not freed, completed or received at its end (--check).
#pragma once

#include <vector>

#include "mpi_shim/state/leak.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace layer {

// Unmatched messages, then requests, communicators, datatypes and all other kinds of objects that it still holds.
std::vector<Leak> leaks_of(RankState& me);

}  // namespace layer
}  // namespace weft::mpi_shim
