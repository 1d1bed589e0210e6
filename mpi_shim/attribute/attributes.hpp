// Storage of the attributes of communicators, datatypes and windows.
#pragma once

#include <utility>
#include <vector>

#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace attribute {

// (key value, attribute value) in the order they were set; attribute_callbacks.hpp runs the callbacks.
using Attributes = std::vector<std::pair<int, void*>>;

// False if no attribute is set under the key value.
bool get_attribute(const Attributes& attributes, int number, void** value);

// Packs attribute values as they are: they belong to the program.
void pup_attributes(pup::Puper& p, Attributes& attributes);

}  // namespace attribute
}  // namespace weft::mpi_shim
