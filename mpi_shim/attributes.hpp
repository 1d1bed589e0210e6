// Cached attributes of communicators and datatypes (and later windows), with their key values' copy and delete callbacks.
#pragma once

#include <utility>
#include <vector>

namespace weft::mpi_shim {

// (key value, attribute value) in the order they were set; the callbacks are run by the calls in attributes.cpp.
using Attributes = std::vector<std::pair<int, void*>>;

}  // namespace weft::mpi_shim
