// Partial results of a reduction by messages: memory for them, and how two become one.
#pragma once

#include "mpi_shim/coll/collective_steps.hpp"
#include "mpi_shim/coll/reduce/combiner.hpp"

namespace weft::mpi_shim::by_messages {

// A value is some elements in memory of their own: packed for a kernel, as in the user's memory for a user's function.
class ReductionValues {
 public:
  ReductionValues(CollectiveSteps& executor, const Reduction& reduction) : executor_(executor), reduction_(reduction) {}

  // Pieces of a member's vectors begin and end at multiples of so many elements.
  std::size_t unit() const;
  // Elements [first, first + n) of the member's vectors, and of a value.
  runtime::Buffer input(std::size_t first, std::size_t n) const { return vector(reduction_.input, first, n); }
  runtime::Buffer output(std::size_t first, std::size_t n) const { return vector(reduction_.output, first, n); }
  runtime::Buffer run(void* value, std::size_t first, std::size_t n) const;

  // Room for n elements; with this member's.
  void* room(std::size_t n);
  void load(void* value, std::size_t first, std::size_t n);  // elements of the member's input
  // left = left op right, of n elements; what `right` had is lost. The two may change places.
  void append(void*& left, void*& right, std::size_t n);
  // To `place` on of the output, from element `first` of the value on.
  void store(void* value, std::size_t first, std::size_t n, std::size_t place);

 private:
  runtime::Buffer vector(const void* data, std::size_t first, std::size_t n) const;

  CollectiveSteps& executor_;
  const Reduction& reduction_;
};

}  // namespace weft::mpi_shim::by_messages
