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

// What memory of their own `count` elements need, count > 0: so many bytes, the first of which stands for `low` behind
// the elements' address. The address itself need not be in it. `low` keeps the address's alignment.
struct Room {
  MPI_Aint low;
  std::size_t bytes;
};
Room room_of(const Datatype& type, std::size_t count);

// Makes `memory` large enough for `count` elements, count > 0, and returns the address that they have in it as a
// buffer.
void* room_for(const Datatype& type, std::size_t count, std::vector<std::max_align_t>& memory);

// What a member of a reduction shows the others, in its cell.
struct Shown {
  const void* input;
  void* output;
  const Datatype* type;
  std::size_t count;  // of `type`
};

// Elements [first, first + count) of the members' vectors. Both combiners are a stack of values with the same calls:
//   push(x)         x's elements on top
//   combine(x)      top = top op x's elements
//   merge()         the two on top become one: lower op upper
//   advance(x)      as combine(x), but the old value stays on top until swap()
//   store(x, skip, n, at)   writes n elements of the value on top, without the first `skip`, to place `at` of x's
//   output
struct Piece {
  std::size_t first = 0;
  std::size_t count = 0;
};

inline constexpr std::size_t kPieceBytes = 8192;

// A predefined operation's elements of the type lie one behind the other.
inline bool has_no_gaps(const Datatype& type) { return type.predefined() || type.contiguous(); }

// On packed elements, cache-blocked: REQUIRES count * stride <= kPieceBytes.
class KernelCombiner {
 public:
  // For vectors of so many members.
  KernelCombiner(const Reduction& reduction, Piece piece, std::size_t members);
  void push(const Shown& from);
  void combine(const Shown& from) { kernel_(source(from), top_, piece_.count); }
  void merge();
  void advance(const Shown& from);
  void swap() { std::swap(top_, next_); }
  void store(const Shown& to, std::size_t skip, std::size_t n, std::size_t at) const;

 private:
  // The piece's elements in a row, copied if they do not lie so.
  const void* source(const Shown& from);

  const Kernel kernel_;
  const Piece piece_;
  const std::size_t stride_;
  const std::size_t room_;  // bytes of a value
  alignas(64) std::array<std::byte, 3 * kPieceBytes> memory_;
  std::unique_ptr<std::byte[]> more_;  // instead of memory_, for many members
  std::byte* scratch_;
  std::byte* top_;  // values lie one behind the other
  std::byte* next_;
};

// On elements as they lie in the user's memory. The user's function always gets the lower ranks' value first.
class UserCombiner {
 public:
  UserCombiner(const Reduction& reduction, Piece piece, std::size_t members);
  void push(const Shown& from);
  void combine(const Shown& from);
  void merge();
  void advance(const Shown& from);
  void swap() { std::swap(stack_[depth_ - 1], stack_[depth_]); }
  void store(const Shown& to, std::size_t skip, std::size_t n, std::size_t at) const;

 private:
  struct Value {
    std::vector<std::max_align_t> memory;
    void* elements = nullptr;
  };
  void* input(const Shown& from) const { return behind(from.input, offset(piece_.first)); }
  std::int64_t offset(std::size_t element) const { return static_cast<std::int64_t>(element) * type_.extent(); }
  void copy(const Shown& from, Value& to);
  void apply();  // top = what lies below it op top

  const Op& op_;
  KeptException& kept_;
  const Piece piece_;
  const Datatype& type_;
  std::vector<Value> stack_;
  std::size_t depth_ = 0;
};

// The members' vectors in the fixed association; the result is on top. shown(i) is member i's.
template <typename Combiner, typename ShownOf>
void combine_in_tree(Combiner& combiner, std::size_t members, ShownOf&& shown) {
  for (std::size_t member = 0; member < members; ++member) {
    if (member % 2 == 0) {
      combiner.push(shown(member));
      continue;
    }
    combiner.combine(shown(member));
    for (std::size_t pairs = member / 2; pairs % 2 == 1; pairs /= 2) {
      combiner.merge();
    }
  }
  // What is left are the values of one bit of the number of members each.
  for (std::size_t left = members & (members - 1); left != 0; left &= left - 1) {
    combiner.merge();
  }
}

}  // namespace coll
}  // namespace weft::mpi_shim
