// Replaces counter.cpp if PAPI's header was not found when Weft was built.
#include <stdexcept>

#include "runtime/meter/counter.hpp"

namespace weft::runtime {
inline namespace meter {

Counter::Counter(const std::string& /*event*/) {
  throw std::runtime_error("Weft was built without PAPI (Debian: libpapi-dev)");
}
Counter::~Counter() = default;
std::uint64_t Counter::read() const { return static_cast<std::uint64_t>(events_); }

}  // namespace meter
}  // namespace weft::runtime
