// What a rank still holds at its end: WEFT_CHECK=1.
#pragma once

#include <string>
#include <vector>

#include "mpi_shim/state.hpp"

namespace weft::mpi_shim {

// One line for each unmatched message and leaked request, communicator, group, datatype, operation, error handler and
// info object.
std::vector<std::string> leftovers(RankState& me);

}  // namespace weft::mpi_shim
