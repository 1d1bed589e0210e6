#include "mpi_shim/coll/reduce/combiner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weft::mpi_shim {
inline namespace coll {

KernelCombiner::KernelCombiner(const Reduction& reduction, Piece piece, std::size_t members)
    : kernel_(reduction.kernel),
      piece_(piece),
      stride_(element_bytes(*reduction.type)),
      value_bytes_((piece.count * stride_ + 63) / 64 * 64) {
  // The stack may hold a value of 1, 2, 4, … members each; scans need two values.
  const std::size_t values = std::max<std::size_t>(static_cast<std::size_t>(std::bit_width(members)), 2);
  std::byte* base = memory_.data();
  if ((values + 1) * value_bytes_ > memory_.size()) {
    more_ = std::make_unique_for_overwrite<std::byte[]>((values + 1) * value_bytes_);
    base = more_.get();
  }
  scratch_ = base;
  top_ = base;
  next_ = base + 2 * value_bytes_;
}

const void* KernelCombiner::source(const MemberVectors& from) {
  const std::size_t skip = piece_.first * stride_;
  if (has_no_gaps(*from.type)) {
    return address_at(from.input, static_cast<std::int64_t>(skip));
  }
  from.type->pack(from.input, from.count, skip, {scratch_, piece_.count * stride_});
  return scratch_;
}

void KernelCombiner::push(const MemberVectors& from) {
  const void* const elements = source(from);
  top_ += value_bytes_;
  if (piece_.count != 0) {
    std::memcpy(top_, elements, piece_.count * stride_);
  }
}

void KernelCombiner::merge() {
  kernel_(top_, top_ - value_bytes_, piece_.count);
  top_ -= value_bytes_;
}

void KernelCombiner::advance(const MemberVectors& from) {
  std::memcpy(next_, top_, piece_.count * stride_);
  kernel_(source(from), next_, piece_.count);
}

void KernelCombiner::store(const MemberVectors& to, std::size_t skip, std::size_t n, std::size_t at) const {
  const std::byte* const data = top_ + skip * stride_;
  if (has_no_gaps(*to.type)) {
    std::memcpy(address_at(to.output, static_cast<std::int64_t>(at * stride_)), data, n * stride_);
  } else {
    to.type->unpack(to.output, to.count, at * stride_, {data, n * stride_});
  }
}

ScratchExtent scratch_extent(const Datatype& type, std::size_t count) {
  constexpr MPI_Aint kAlignment = alignof(std::max_align_t);
  const MPI_Aint last = static_cast<MPI_Aint>(count - 1) * type.extent();
  const MPI_Aint first = std::min<MPI_Aint>(0, last) + type.true_lower_bound();
  const MPI_Aint end = std::max<MPI_Aint>(0, last) + type.true_lower_bound() + type.true_extent();
  const MPI_Aint low = first & -kAlignment;
  return {low, static_cast<std::size_t>(end - low)};
}

void* scratch_buffer(const Datatype& type, std::size_t count, std::vector<std::max_align_t>& memory) {
  const ScratchExtent extent = scratch_extent(type, count);
  memory.resize(extent.bytes / sizeof(std::max_align_t) + 1);
  return address_at(memory.data(), -extent.low);
}

UserCombiner::UserCombiner(const Reduction& reduction, Piece piece, std::size_t members)
    : op_(*reduction.user_op),
      pending_exception_(*reduction.pending_exception),
      piece_(piece),
      type_(*reduction.type),
      stack_(static_cast<std::size_t>(std::bit_width(members)) + 1) {}

void UserCombiner::copy(const MemberVectors& from, Value& to) {
  if (to.elements == nullptr) {
    to.elements = scratch_buffer(type_, piece_.count, to.memory);
  }
  runtime::transfer(message_buffer(input(from), piece_.count, *from.type),
                    message_buffer(to.elements, piece_.count, type_));
}

void UserCombiner::push(const MemberVectors& from) { copy(from, stack_[depth_++]); }

void UserCombiner::combine(const MemberVectors& from) {
  advance(from);
  swap();
}

void UserCombiner::merge() {
  --depth_;
  apply();
  swap();
}

void UserCombiner::advance(const MemberVectors& from) {
  copy(from, stack_[depth_]);
  apply();
}

void UserCombiner::apply() {
  if (!pending_exception_.holds()) {
    pending_exception_.run(
        [&] { call_user_function(op_, stack_[depth_ - 1].elements, stack_[depth_].elements, piece_.count, type_); });
  }
}

void UserCombiner::store(const MemberVectors& to, std::size_t skip, std::size_t n, std::size_t at) const {
  runtime::transfer(message_buffer(address_at(stack_[depth_ - 1].elements, offset(skip)), n, type_),
                    message_buffer(address_at(to.output, offset(at)), n, *to.type));
}

}  // namespace coll
}  // namespace weft::mpi_shim
