#include "mpi_shim/collective/spread/partial.hpp"

#include <cstring>
#include <utility>

namespace weft::mpi_shim::spread {
namespace {

// Elements as kernels take them lie in a row in the user's memory.
bool in_a_row(const Reduction& reduction) {
  return reduction.own == nullptr && (reduction.type->predefined() || reduction.type->contiguous());
}

runtime::Buffer run_of(const Reduction& reduction, const void* data, std::size_t first, std::size_t n) {
  if (reduction.own != nullptr) {
    return message_buffer(behind(data, static_cast<std::int64_t>(first) * reduction.type->extent()), n,
                          *reduction.type);
  }
  const std::size_t stride = element_bytes(*reduction.type);
  return {behind(data, static_cast<std::int64_t>(first * stride)), n * stride};
}

}  // namespace

Vector::Vector(const Reduction& reduction, const void* data, bool full)
    : reduction_(reduction), data_(const_cast<void*>(data)), direct_(reduction.own != nullptr || in_a_row(reduction)) {
  if (!direct_ && data != nullptr) {
    packed_.resize(reduction.elements * element_bytes(*reduction.type));
    if (full) {
      reduction.type->pack(data, reduction.count, 0, packed_);
    }
  }
}

runtime::Buffer Vector::run(std::size_t first, std::size_t n) const {
  return run_of(reduction_, direct_ ? data_ : packed_.data(), first, n);
}

void Vector::finish() {
  if (!direct_ && data_ != nullptr) {
    reduction_.type->unpack(data_, reduction_.count, 0, packed_);
  }
}

Partial::Partial(const Reduction& reduction, Piece piece) : reduction_(&reduction), piece_(piece) {
  if (piece.count == 0) {
    return;
  }
  if (reduction.own != nullptr) {
    base_ = room_for(*reduction.type, piece.count, memory_);
  } else {
    memory_.resize(piece.count * element_bytes(*reduction.type) / sizeof(std::max_align_t) + 1);
    base_ = memory_.data();
  }
}

runtime::Buffer Partial::run(std::size_t skip, std::size_t n) const { return run_of(*reduction_, base_, skip, n); }

void Partial::load() {
  const Reduction& reduction = *reduction_;
  if (piece_.count == 0) {
    return;
  }
  if (reduction.own != nullptr || in_a_row(reduction)) {
    runtime::transfer(run_of(reduction, reduction.input, piece_.first, piece_.count), buffer());
  } else {
    const std::size_t stride = element_bytes(*reduction.type);
    reduction.type->pack(reduction.input, reduction.count, piece_.first * stride,
                         {static_cast<std::byte*>(base_), piece_.count * stride});
  }
}

void Partial::append(Partial& right) {
  if (piece_.count == 0) {
    return;
  }
  if (reduction_->own != nullptr) {
    call_user_function(*reduction_->own, base_, right.base_, piece_.count, *reduction_->type);
    std::swap(memory_, right.memory_);
    std::swap(base_, right.base_);
  } else {
    reduction_->kernel(right.base_, base_, piece_.count);
  }
}

void Partial::store(std::size_t skip, std::size_t n, std::size_t place) const {
  const Reduction& reduction = *reduction_;
  if (n == 0) {
    return;
  }
  const runtime::Buffer from = run(skip, n);
  if (reduction.own != nullptr || in_a_row(reduction)) {
    runtime::transfer(from, run_of(reduction, reduction.output, place, n));
  } else {
    reduction.type->unpack(reduction.output, reduction.count, place * element_bytes(*reduction.type),
                           {static_cast<const std::byte*>(from.base), from.bytes});
  }
}

void Partial::copy(const Partial& from) { runtime::transfer(from.buffer(), buffer()); }

}  // namespace weft::mpi_shim::spread
