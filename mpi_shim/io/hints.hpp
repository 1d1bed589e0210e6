// Hints of a file. The names are ROMIO's, which programs know.
#pragma once

#include <cstddef>

#include "mpi_shim/info/info.hpp"

namespace weft::mpi_shim::io {

inline constexpr std::size_t kSieveBytes = std::size_t{4} << 20;

// The hints that a file has when nothing is said, with those of `asked` that are known and make sense.
Info hints_of(const Info& before, const Info* asked);
Info default_hints(int aggregators);

std::size_t number_of(const Info& hints, const char* key, std::size_t otherwise);
bool hint_is(const Info& hints, const char* key, const char* value);

}  // namespace weft::mpi_shim::io
