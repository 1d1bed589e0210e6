#include "mpi_shim/collective/spread/values.hpp"

#include <algorithm>
#include <utility>

namespace weft::mpi_shim::spread {
namespace {

bool in_a_row(const Datatype& type) { return type.predefined() || type.contiguous(); }

runtime::Buffer packed_run(const void* data, std::size_t first, std::size_t n, std::size_t stride) {
  return {behind(data, static_cast<std::int64_t>(first * stride)), n * stride};
}

// Bytes before and behind an address that n elements there may have; the address itself is always among them.
struct Span {
  std::size_t before = 0;
  std::size_t behind = 0;
};

Span span_of(const Datatype& type, std::size_t n) {
  constexpr MPI_Aint kAlignment = alignof(std::max_align_t);
  const MPI_Aint last = static_cast<MPI_Aint>(n - 1) * type.extent();
  const MPI_Aint low = std::min<MPI_Aint>(0, std::min<MPI_Aint>(0, last) + type.true_lower_bound());
  const MPI_Aint high = std::max<MPI_Aint>(0, last) + type.true_lower_bound() + type.true_extent();
  return {static_cast<std::size_t>((-low + kAlignment - 1) / kAlignment * kAlignment),
          static_cast<std::size_t>(std::max<MPI_Aint>(high, 1))};
}

}  // namespace

std::size_t Values::unit() const {
  return reduction_.own != nullptr || in_a_row(*reduction_.type) ? 1 : elements_in(*reduction_.type);
}

runtime::Buffer Values::vector(const void* data, std::size_t first, std::size_t n) const {
  const Datatype& type = *reduction_.type;
  if (reduction_.own == nullptr && in_a_row(type)) {
    return packed_run(data, first, n, element_bytes(type));
  }
  const std::size_t each = unit();
  return message_buffer(behind(data, static_cast<std::int64_t>(first / each) * type.extent()), n / each, type);
}

runtime::Buffer Values::run(void* value, std::size_t first, std::size_t n) const {
  return reduction_.own != nullptr ? vector(value, first, n)
                                   : packed_run(value, first, n, element_bytes(*reduction_.type));
}

void* Values::room(std::size_t n) {
  if (n == 0) {
    return nullptr;
  }
  if (reduction_.own == nullptr) {
    return course_.scratch(n * element_bytes(*reduction_.type));
  }
  const Span span = span_of(*reduction_.type, n);
  return course_.scratch(span.before + span.behind) + span.before;
}

void Values::load(void* value, Piece piece) {
  if (piece.count != 0) {
    course_.copy(input(piece.first, piece.count), run(value, 0, piece.count));
  }
}

void Values::append(void*& left, void*& right, std::size_t n) {
  if (n != 0 && course_.combine(reduction_, left, right, n) == right) {
    std::swap(left, right);
  }
}

void Values::store(void* value, std::size_t first, std::size_t n, std::size_t place) {
  if (n != 0) {
    course_.copy(run(value, first, n), output(place, n));
  }
}

}  // namespace weft::mpi_shim::spread
