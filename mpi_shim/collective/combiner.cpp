#include "mpi_shim/collective/combiner.hpp"

#include <algorithm>
#include <cstring>

namespace weft::mpi_shim {

KernelCombiner::KernelCombiner(const Reduction& reduction, Piece piece)
    : kernel_(reduction.kernel), piece_(piece), stride_(element_bytes(*reduction.type)) {}

const void* KernelCombiner::source(const Shown& from) {
  const std::size_t skip = piece_.first * stride_;
  if (packed(*from.type)) {
    return behind(from.input, static_cast<std::int64_t>(skip));
  }
  from.type->pack(from.input, from.count, skip, {memory_[2].data(), piece_.count * stride_});
  return memory_[2].data();
}

void KernelCombiner::load(const Shown& from) { std::memcpy(running_, source(from), piece_.count * stride_); }

void KernelCombiner::advance(const Shown& from) {
  std::memcpy(next_, running_, piece_.count * stride_);
  kernel_(source(from), next_, piece_.count);
}

void KernelCombiner::store(const Shown& to, std::size_t skip, std::size_t n, std::size_t at) const {
  const std::byte* const data = running_ + skip * stride_;
  if (packed(*to.type)) {
    std::memcpy(behind(to.output, static_cast<std::int64_t>(at * stride_)), data, n * stride_);
  } else {
    to.type->unpack(to.output, to.count, at * stride_, {data, n * stride_});
  }
}

void* room_for(const Datatype& type, std::size_t count, std::vector<std::max_align_t>& memory) {
  const MPI_Aint last = static_cast<MPI_Aint>(count - 1) * type.extent();
  const MPI_Aint low = std::min<MPI_Aint>(0, last) + type.true_lower_bound();
  const MPI_Aint high = std::max<MPI_Aint>(0, last) + type.true_lower_bound() + type.true_extent();
  memory.resize(static_cast<std::size_t>(high - low) / sizeof(std::max_align_t) + 1);
  return behind(memory.data(), -low);
}

UserCombiner::UserCombiner(const Reduction& reduction, Piece piece)
    : op_(*reduction.own),
      piece_(piece),
      type_(*reduction.type),
      running_(room_for(type_, piece.count, memory_[0])),
      next_(room_for(type_, piece.count, memory_[1])) {}

void UserCombiner::copy(const Shown& from, void* to) const {
  runtime::transfer(message_buffer(input(from), piece_.count, *from.type), message_buffer(to, piece_.count, type_));
}

void UserCombiner::combine(const Shown& from) {
  if (op_.commutative) {
    call_user_function(op_, input(from), running_, piece_.count, type_);
  } else {
    advance(from);
    swap();
  }
}

void UserCombiner::advance(const Shown& from) {
  copy(from, next_);
  call_user_function(op_, running_, next_, piece_.count, type_);
}

void UserCombiner::store(const Shown& to, std::size_t skip, std::size_t n, std::size_t at) const {
  runtime::transfer(message_buffer(behind(running_, offset(skip)), n, type_),
                    message_buffer(behind(to.output, offset(at)), n, *to.type));
}

}  // namespace weft::mpi_shim
