// How a piece of the members' vectors is read, combined and written: by a kernel, or by a user's function.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/coll/reduction_arguments.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// The scratch memory that `count` elements need, count > 0: `bytes` bytes, which begin `low` bytes after the address
// that the elements have as a buffer. That address may lie outside the scratch memory. `low` is a multiple of the
// strictest alignment, so that the address is aligned as the memory is.
struct ScratchExtent {
  MPI_Aint low;
  std::size_t bytes;
};
ScratchExtent scratch_extent(const Datatype& type, std::size_t count);

// Resizes `memory` for `count` elements, count > 0, and returns the address that they have in it as a buffer.
void* scratch_buffer(const Datatype& type, std::size_t count, std::vector<std::max_align_t>& memory);

// The vectors of one member of a reduction, as it publishes them to the others.
struct MemberVectors {
  const void* input;
  void* output;
  const Datatype* type;
  std::size_t count;  // of `type`
};

// Elements [first, first + count) of the members' vectors. Both combiners below keep a stack of values of such a piece
// and have the same functions:
//   push(x)                 pushes x's elements
//   combine(x)              top = top op x's elements
//   merge()                 replaces the two values on top by one: lower op upper
//   advance(x)              computes combine(x) into a spare value; swap() makes it the top
//   store(x, skip, n, at)   writes n elements of the top value, from element `skip` on, to element `at` of x's output
struct Piece {
  std::size_t first = 0;
  std::size_t count = 0;
};

inline constexpr std::size_t kPieceBytes = 8192;

// Elements of the type are contiguous in memory, as kernels need them.
inline bool has_no_gaps(const Datatype& type) { return type.predefined() || type.contiguous(); }

// Combines packed elements with a predefined kernel. REQUIRES: count * stride <= kPieceBytes, so that a piece stays in
// the cache.
class KernelCombiner {
 public:
  // `members`: how many vectors there are.
  KernelCombiner(const Reduction& reduction, Piece piece, std::size_t members);
  void push(const MemberVectors& from);
  void combine(const MemberVectors& from) { kernel_(source(from), top_, piece_.count); }
  void merge();
  void advance(const MemberVectors& from);
  void swap() { std::swap(top_, next_); }
  void store(const MemberVectors& to, std::size_t skip, std::size_t n, std::size_t at) const;

 private:
  // The piece's elements, contiguous: in place, or packed into scratch_.
  const void* source(const MemberVectors& from);

  const Kernel kernel_;
  const Piece piece_;
  const std::size_t stride_;
  const std::size_t value_bytes_;
  alignas(64) std::array<std::byte, 3 * kPieceBytes> memory_;
  std::unique_ptr<std::byte[]> more_;  // instead of memory_, for many members
  std::byte* scratch_;
  std::byte* top_;  // the values of the stack are contiguous
  std::byte* next_;
};

// Combines elements in the datatype's layout with a user's function, which always gets the lower ranks' value first.
class UserCombiner {
 public:
  UserCombiner(const Reduction& reduction, Piece piece, std::size_t members);
  void push(const MemberVectors& from);
  void combine(const MemberVectors& from);
  void merge();
  void advance(const MemberVectors& from);
  void swap() { std::swap(stack_[depth_ - 1], stack_[depth_]); }
  void store(const MemberVectors& to, std::size_t skip, std::size_t n, std::size_t at) const;

 private:
  struct Value {
    std::vector<std::max_align_t> memory;
    void* elements = nullptr;
  };
  void* input(const MemberVectors& from) const { return address_at(from.input, offset(piece_.first)); }
  std::int64_t offset(std::size_t element) const { return static_cast<std::int64_t>(element) * type_.extent(); }
  void copy(const MemberVectors& from, Value& to);
  void apply();  // spare value = top op spare value

  const Op& op_;
  PendingException& pending_exception_;
  const Piece piece_;
  const Datatype& type_;
  std::vector<Value> stack_;
  std::size_t depth_ = 0;
};

// Combines the members' vectors in the order that steps/tree.hpp describes; the result is the top value. vectors_of(i)
// is member i's MemberVectors.
template <typename Combiner, typename VectorsOf>
void combine_in_tree(Combiner& combiner, std::size_t members, VectorsOf&& vectors_of) {
  for (std::size_t member = 0; member < members; ++member) {
    if (member % 2 == 0) {
      combiner.push(vectors_of(member));
      continue;
    }
    combiner.combine(vectors_of(member));
    for (std::size_t pairs = member / 2; pairs % 2 == 1; pairs /= 2) {
      combiner.merge();
    }
  }
  // The stack now has one value for each bit that is set in the number of members.
  for (std::size_t left = members & (members - 1); left != 0; left &= left - 1) {
    combiner.merge();
  }
}

}  // namespace coll
}  // namespace weft::mpi_shim
