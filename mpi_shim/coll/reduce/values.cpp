#include "mpi_shim/coll/reduce/values.hpp"

#include <utility>

#include "mpi_shim/coll/reduce/combiner.hpp"

namespace weft::mpi_shim::by_messages {
namespace {

bool in_a_row(const Datatype& type) { return type.predefined() || type.contiguous(); }

runtime::Buffer packed_run(const void* data, std::size_t first, std::size_t n, std::size_t stride) {
  return {behind(data, static_cast<std::int64_t>(first * stride)), n * stride};
}

}  // namespace

std::size_t ReductionValues::unit() const {
  return reduction_.own != nullptr || in_a_row(*reduction_.type) ? 1 : elements_in(*reduction_.type);
}

runtime::Buffer ReductionValues::vector(const void* data, std::size_t first, std::size_t n) const {
  const Datatype& type = *reduction_.type;
  if (reduction_.own == nullptr && in_a_row(type)) {
    return packed_run(data, first, n, element_bytes(type));
  }
  const std::size_t each = unit();
  return message_buffer(behind(data, static_cast<std::int64_t>(first / each) * type.extent()), n / each, type);
}

runtime::Buffer ReductionValues::run(void* value, std::size_t first, std::size_t n) const {
  return reduction_.own != nullptr ? vector(value, first, n)
                                   : packed_run(value, first, n, element_bytes(*reduction_.type));
}

void* ReductionValues::room(std::size_t n) {
  if (n == 0) {
    return nullptr;
  }
  if (reduction_.own == nullptr) {
    return executor_.scratch(n * element_bytes(*reduction_.type));
  }
  const Room room = room_of(*reduction_.type, n);
  return behind(executor_.scratch(room.bytes), -room.low);
}

void ReductionValues::load(void* value, std::size_t first, std::size_t n) {
  if (n != 0) {
    executor_.copy(input(first, n), run(value, 0, n));
  }
}

void ReductionValues::append(void*& left, void*& right, std::size_t n) {
  if (n != 0 && executor_.combine(reduction_, left, right, n) == right) {
    std::swap(left, right);
  }
}

void ReductionValues::store(void* value, std::size_t first, std::size_t n, std::size_t place) {
  if (n != 0) {
    executor_.copy(run(value, first, n), output(place, n));
  }
}

}  // namespace weft::mpi_shim::by_messages
