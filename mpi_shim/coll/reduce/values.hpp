// Partial results of a reduction by messages: their memory, and how two of them are combined.
#pragma once

#include "mpi_shim/coll/collective_steps.hpp"
#include "mpi_shim/coll/reduce/combiner.hpp"

namespace weft::mpi_shim::by_messages {

// The Values of steps/executor.hpp. A value is scratch memory with some elements: packed for a kernel, in the
// datatype's layout for a user's function.
class ReductionValues {
 public:
  ReductionValues(CollectiveSteps& executor, const Reduction& reduction) : executor_(executor), reduction_(reduction) {}

  // Pieces of vectors begin and end at multiples of this many elements.
  std::size_t unit() const;
  // Elements [first, first + n) of the member's vectors or of a value, as a buffer.
  runtime::Buffer input(std::size_t first, std::size_t n) const { return vector(reduction_.input, first, n); }
  runtime::Buffer output(std::size_t first, std::size_t n) const { return vector(reduction_.output, first, n); }
  runtime::Buffer slice(void* value, std::size_t first, std::size_t n) const;

  // A new value of n elements.
  void* allocate(std::size_t n);
  // Copies elements [first, first + n) of the member's input to the value.
  void load(void* value, std::size_t first, std::size_t n);
  // left = left op right, of n elements; the content of `right` is lost. May swap the two pointers.
  void combine(void*& left, void*& right, std::size_t n);
  // Copies n elements of the value, from element `first` on, to the output, from element `place` on.
  void store(void* value, std::size_t first, std::size_t n, std::size_t place);

 private:
  runtime::Buffer vector(const void* data, std::size_t first, std::size_t n) const;

  CollectiveSteps& executor_;
  const Reduction& reduction_;
};

}  // namespace weft::mpi_shim::by_messages
