#include "mpi_shim/attribute/keyval.hpp"

#include <algorithm>

namespace weft::mpi_shim {
inline namespace attribute {

Keyval* Keyvals::find(int number) const {
  const auto index = static_cast<std::size_t>(number - std::min(number, kFirst));
  return number >= kFirst && index < entries.size() ? entries[index].get() : nullptr;
}

int Keyvals::add(std::unique_ptr<Keyval> keyval) {
  auto place = std::find(entries.begin(), entries.end(), nullptr);
  if (place == entries.end()) {
    place = entries.insert(place, nullptr);
  }
  *place = std::move(keyval);
  return kFirst + static_cast<int>(place - entries.begin());
}

void Keyvals::release(int number) {
  if (Keyval* const keyval = find(number); --keyval->uses == 0) {
    entries[static_cast<std::size_t>(number - kFirst)].reset();
  }
}

}  // namespace attribute
}  // namespace weft::mpi_shim
