// Values of a reduction on their way between members.
#pragma once

#include <cstddef>
#include <vector>

#include "mpi_shim/collective/combiner.hpp"
#include "mpi_shim/peers.hpp"

namespace weft::mpi_shim::spread {

// A vector of a reduction where a member has it, input or output: as runs of elements that messages take.
class Vector {
 public:
  // `full`: there is something to be read.
  Vector(const Reduction& reduction, const void* data, bool full);
  runtime::Buffer run(std::size_t first, std::size_t n) const;
  // To be called after writing.
  void finish();

 private:
  const Reduction& reduction_;
  void* const data_;
  std::vector<std::byte> packed_;  // of types with gaps, for kernels
  const bool direct_;
};

// Elements [first, first + count) combined over some neighbours, in memory of its own.
class Partial {
 public:
  Partial(const Reduction& reduction, Piece piece);

  runtime::Buffer buffer() const { return run(0, piece_.count); }
  runtime::Buffer run(std::size_t skip, std::size_t n) const;
  void load();                  // this member's
  void append(Partial& right);  // this = this op right; what `right` has is lost
  // Writes elements to `place` on of the reduction's output, the first of these being number `skip` here.
  void store(std::size_t skip, std::size_t n, std::size_t place) const;
  std::size_t count() const { return piece_.count; }
  void copy(const Partial& from);

 private:
  const Reduction* reduction_;
  Piece piece_;
  std::vector<std::max_align_t> memory_;
  void* base_ = nullptr;
};

}  // namespace weft::mpi_shim::spread
