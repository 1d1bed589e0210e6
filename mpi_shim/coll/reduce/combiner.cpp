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
      room_((piece.count * stride_ + 63) / 64 * 64) {
  // Values of 1, 2, 4, … members may wait at once; scans need two.
  const std::size_t values = std::max<std::size_t>(static_cast<std::size_t>(std::bit_width(members)), 2);
  std::byte* base = memory_.data();
  if ((values + 1) * room_ > memory_.size()) {
    more_ = std::make_unique_for_overwrite<std::byte[]>((values + 1) * room_);
    base = more_.get();
  }
  scratch_ = base;
  top_ = base;
  next_ = base + 2 * room_;
}

const void* KernelCombiner::source(const Shown& from) {
  const std::size_t skip = piece_.first * stride_;
  if (has_no_gaps(*from.type)) {
    return behind(from.input, static_cast<std::int64_t>(skip));
  }
  from.type->pack(from.input, from.count, skip, {scratch_, piece_.count * stride_});
  return scratch_;
}

void KernelCombiner::push(const Shown& from) {
  const void* const elements = source(from);
  top_ += room_;
  if (piece_.count != 0) {
    std::memcpy(top_, elements, piece_.count * stride_);
  }
}

void KernelCombiner::merge() {
  kernel_(top_, top_ - room_, piece_.count);
  top_ -= room_;
}

void KernelCombiner::advance(const Shown& from) {
  std::memcpy(next_, top_, piece_.count * stride_);
  kernel_(source(from), next_, piece_.count);
}

void KernelCombiner::store(const Shown& to, std::size_t skip, std::size_t n, std::size_t at) const {
  const std::byte* const data = top_ + skip * stride_;
  if (has_no_gaps(*to.type)) {
    std::memcpy(behind(to.output, static_cast<std::int64_t>(at * stride_)), data, n * stride_);
  } else {
    to.type->unpack(to.output, to.count, at * stride_, {data, n * stride_});
  }
}

Room room_of(const Datatype& type, std::size_t count) {
  constexpr MPI_Aint kAlignment = alignof(std::max_align_t);
  const MPI_Aint last = static_cast<MPI_Aint>(count - 1) * type.extent();
  const MPI_Aint first = std::min<MPI_Aint>(0, last) + type.true_lower_bound();
  const MPI_Aint end = std::max<MPI_Aint>(0, last) + type.true_lower_bound() + type.true_extent();
  const MPI_Aint low = first & -kAlignment;
  return {low, static_cast<std::size_t>(end - low)};
}

void* room_for(const Datatype& type, std::size_t count, std::vector<std::max_align_t>& memory) {
  const Room room = room_of(type, count);
  memory.resize(room.bytes / sizeof(std::max_align_t) + 1);
  return behind(memory.data(), -room.low);
}

UserCombiner::UserCombiner(const Reduction& reduction, Piece piece, std::size_t members)
    : op_(*reduction.own),
      kept_(*reduction.kept),
      piece_(piece),
      type_(*reduction.type),
      stack_(static_cast<std::size_t>(std::bit_width(members)) + 1) {}

void UserCombiner::copy(const Shown& from, Value& to) {
  if (to.elements == nullptr) {
    to.elements = room_for(type_, piece_.count, to.memory);
  }
  runtime::transfer(message_buffer(input(from), piece_.count, *from.type),
                    message_buffer(to.elements, piece_.count, type_));
}

void UserCombiner::push(const Shown& from) { copy(from, stack_[depth_++]); }

void UserCombiner::combine(const Shown& from) {
  advance(from);
  swap();
}

void UserCombiner::merge() {
  --depth_;
  apply();
  swap();
}

void UserCombiner::advance(const Shown& from) {
  copy(from, stack_[depth_]);
  apply();
}

void UserCombiner::apply() {
  if (!kept_.holds()) {
    kept_.run(
        [&] { call_user_function(op_, stack_[depth_ - 1].elements, stack_[depth_].elements, piece_.count, type_); });
  }
}

void UserCombiner::store(const Shown& to, std::size_t skip, std::size_t n, std::size_t at) const {
  runtime::transfer(message_buffer(behind(stack_[depth_ - 1].elements, offset(skip)), n, type_),
                    message_buffer(behind(to.output, offset(at)), n, *to.type));
}

}  // namespace coll
}  // namespace weft::mpi_shim
