// The numbers that arguments are made of: good ones, those at the edges, and wrong ones.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/mpi_shim/p2p/fuzz_settings.hpp"

namespace weft::mpi_shim::fuzz {

// Which numbers an argument is one of.
enum class Numbers {
  any,
  length,  // of an array of the program's, which MPI must believe
  bytes,   // of a buffer of the program's
  closed,  // a file descriptor that is not open
  rank,
  tag,
  count,
  displ,
  logical,
  keyval,
  wide,  // of 64 bits
  mode
};

// `keyvals` are those that calls have returned.
std::int64_t choose_number(Random& random, Numbers kind, const std::vector<int>& keyvals);

}  // namespace weft::mpi_shim::fuzz
