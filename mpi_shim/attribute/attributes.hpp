// Cached attributes of communicators and datatypes (and later windows), as they are kept.
#pragma once

#include <utility>
#include <vector>

#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace attribute {

// (key value, attribute value) in the order they were set; attribute_callbacks.hpp runs the callbacks.
using Attributes = std::vector<std::pair<int, void*>>;

// False when there is none.
bool get_attribute(const Attributes& attributes, int number, void** value);

// The values are the program's own and stay as they are.
void pup_attributes(pup::Puper& p, Attributes& attributes);

}  // namespace attribute
}  // namespace weft::mpi_shim
