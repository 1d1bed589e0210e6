#include "mpi_shim/coll/reduce/values.hpp"

#include <utility>

#include "mpi_shim/coll/reduce/combiner.hpp"

namespace weft::mpi_shim::by_messages {
namespace {

runtime::Buffer packed_run(const void* data, std::size_t first, std::size_t n, std::size_t stride) {
  return {address_at(data, static_cast<std::int64_t>(first * stride)), n * stride};
}

}  // namespace

std::size_t ReductionValues::unit() const {
  return reduction_.user_op != nullptr || has_no_gaps(*reduction_.type) ? 1 : elements_in(*reduction_.type);
}

runtime::Buffer ReductionValues::vector(const void* data, std::size_t first, std::size_t n) const {
  const Datatype& type = *reduction_.type;
  if (reduction_.user_op == nullptr && has_no_gaps(type)) {
    return packed_run(data, first, n, element_bytes(type));
  }
  const std::size_t each = unit();
  return message_buffer(address_at(data, static_cast<std::int64_t>(first / each) * type.extent()), n / each, type);
}

runtime::Buffer ReductionValues::slice(void* value, std::size_t first, std::size_t n) const {
  return reduction_.user_op != nullptr ? vector(value, first, n)
                                       : packed_run(value, first, n, element_bytes(*reduction_.type));
}

void* ReductionValues::allocate(std::size_t n) {
  if (n == 0) {
    return nullptr;
  }
  if (reduction_.user_op == nullptr) {
    return executor_.scratch(n * element_bytes(*reduction_.type));
  }
  const ScratchExtent extent = scratch_extent(*reduction_.type, n);
  return address_at(executor_.scratch(extent.bytes), -extent.low);
}

void ReductionValues::load(void* value, std::size_t first, std::size_t n) {
  if (n != 0) {
    executor_.copy(input(first, n), slice(value, 0, n));
  }
}

void ReductionValues::combine(void*& left, void*& right, std::size_t n) {
  if (n != 0 && executor_.combine(reduction_, left, right, n) == right) {
    std::swap(left, right);
  }
}

void ReductionValues::store(void* value, std::size_t first, std::size_t n, std::size_t place) {
  if (n != 0) {
    executor_.copy(slice(value, first, n), output(place, n));
  }
}

}  // namespace weft::mpi_shim::by_messages
