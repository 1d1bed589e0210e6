// Finds what a rank has not freed or received at its end (--check).
#pragma once

#include <string>
#include <vector>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace layer {

// One line for each unmatched message and leaked request, communicator and datatype, and for each other kind of object
// of which the rank has not freed all.
std::vector<std::string> leaks_of(RankState& me);

}  // namespace layer
}  // namespace weft::mpi_shim
