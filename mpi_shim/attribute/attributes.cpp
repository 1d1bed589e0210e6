#include "mpi_shim/attribute/attributes.hpp"

#include <algorithm>
#include <cstdint>

namespace weft::mpi_shim {
inline namespace attribute {

bool get_attribute(const Attributes& attributes, int number, void** value) {
  const auto place =
      std::find_if(attributes.begin(), attributes.end(), [&](const auto& entry) { return entry.first == number; });
  if (place == attributes.end()) {
    return false;
  }
  *value = place->second;
  return true;
}

void pup_attributes(pup::Puper& p, Attributes& attributes) {
  auto count = static_cast<std::uint64_t>(attributes.size());
  p | count;
  attributes.resize(count);
  for (auto& [number, value] : attributes) {
    p | number;
    pup::same_address(p, value);
  }
}

}  // namespace attribute
}  // namespace weft::mpi_shim
