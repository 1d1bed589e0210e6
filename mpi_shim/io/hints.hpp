// The hints of a file, with the names of ROMIO's hints.
#pragma once

#include <cstddef>

#include "mpi_shim/info/info.hpp"

namespace weft::mpi_shim::io {

// The default size of the buffers for data sieving and two-phase access.
inline constexpr std::size_t kSieveBytes = std::size_t{4} << 20;

// `before`, replaced by those hints of `asked` that are known and valid. `asked` may be null.
Info merged_hints(const Info& before, const Info* asked);
Info default_hints(int aggregators);

// The number in a hint; `otherwise` if the hint is not set or no positive number.
std::size_t number_of(const Info& hints, const char* key, std::size_t otherwise);
bool hint_is(const Info& hints, const char* key, const char* value);

}  // namespace weft::mpi_shim::io
