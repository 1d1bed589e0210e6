// How a piece of the members' vectors is read, combined and written: by a kernel, or by a user's function.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "mpi_shim/collective/reduction.hpp"

namespace weft::mpi_shim {

// What a member of a reduction shows the others, in its cell.
struct Shown {
  const void* input;
  void* output;
  const Datatype* type;
  std::size_t count;  // of `type`
};

// Elements [first, first + count) of the members' vectors. Both combiners have the same calls:
//   load(x)      running = x's elements
//   combine(x)   running = running op x's elements
//   advance(x)   the same, but the old value stays until swap()
//   store(x, skip, n, at)   writes n elements of the running value, without the first `skip`, to place `at` of x's
//   output
struct Piece {
  std::size_t first = 0;
  std::size_t count = 0;
};

inline constexpr std::size_t kPieceBytes = 8192;

// On packed elements, cache-blocked: REQUIRES count * stride <= kPieceBytes.
class KernelCombiner {
 public:
  KernelCombiner(const Reduction& reduction, Piece piece);
  void load(const Shown& from);
  void combine(const Shown& from) { kernel_(source(from), running_, piece_.count); }
  void advance(const Shown& from);
  void swap() { std::swap(running_, next_); }
  void store(const Shown& to, std::size_t skip, std::size_t n, std::size_t at) const;

 private:
  static bool packed(const Datatype& type) { return type.predefined() || type.contiguous(); }
  // The piece's elements in a row, copied if they do not lie so.
  const void* source(const Shown& from);

  const Kernel kernel_;
  const Piece piece_;
  const std::size_t stride_;
  alignas(64) std::array<std::byte, kPieceBytes> memory_[3];
  std::byte* running_ = memory_[0].data();
  std::byte* next_ = memory_[1].data();
};

// On elements as they lie in the user's memory.
class UserCombiner {
 public:
  UserCombiner(const Reduction& reduction, Piece piece);
  void load(const Shown& from) { copy(from, running_); }
  void combine(const Shown& from);
  void advance(const Shown& from);
  void swap() { std::swap(running_, next_); }
  void store(const Shown& to, std::size_t skip, std::size_t n, std::size_t at) const;

 private:
  void* input(const Shown& from) const { return behind(from.input, offset(piece_.first)); }
  std::int64_t offset(std::size_t element) const { return static_cast<std::int64_t>(element) * type_.extent(); }
  void copy(const Shown& from, void* to) const;

  const Op& op_;
  const Piece piece_;
  const Datatype& type_;
  std::vector<std::max_align_t> memory_[2];
  void* running_;
  void* next_;
};

}  // namespace weft::mpi_shim
