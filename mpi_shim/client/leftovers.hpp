// What a rank still holds at its end, with WEFT_CHECK.
#pragma once

#include <string>
#include <vector>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace client {

// One line for each unmatched message and leaked request, communicator and datatype, and for each other kind of object
// of which the rank has not freed all.
std::vector<std::string> leftovers(RankState& me);

}  // namespace client
}  // namespace weft::mpi_shim
