// The steps that algorithms of collective calls consist of: one member's sends, receives, copies and combinations. An
// executor executes them at once, records them for a request, or simulates them. This folder depends on neither MPI nor
// the runtime.
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

namespace weft::mpi_shim::steps {

// E::Members is a group of which the caller is a member: its size() and the caller's number in it, rank().
// E::Memory is a buffer of a message: `base`, `bytes`, and a `layout`, which is null if the bytes are contiguous.
// A ticket names a message that has been started; an algorithm waits for each once. A step may read only what earlier
// steps have written. An algorithm must not look at received data, since the steps may be executed later. Buffers, and
// the memory that scratch() returns, stay valid until the call ends.
template <typename E>
concept Executor = requires(E& executor, const typename E::Members& members, const typename E::Memory& memory,
                            std::size_t ticket, std::vector<std::size_t>& tickets) {
  { members.size() } -> std::convertible_to<int>;
  { members.rank() } -> std::convertible_to<int>;
  { memory.bytes } -> std::convertible_to<std::size_t>;
  { executor.start_send(members, 0, memory) } -> std::convertible_to<std::size_t>;
  { executor.start_receive(members, 0, memory) } -> std::convertible_to<std::size_t>;
  executor.wait(ticket);
  executor.wait_all(tickets);
  executor.send(members, 0, memory);
  executor.receive(members, 0, memory);
  executor.copy(memory, memory);
  { executor.scratch(std::size_t{}) } -> std::convertible_to<std::byte*>;
};

// The vectors and values of a reduction. A value is some elements in scratch memory.
//   slice(value, first, n), input(first, n), output(first, n)  elements of a value or the member's vectors, as Memory
//   allocate(n)                                                a new value of n elements
//   load(value, first, n), store(value, first, n, place)       copy from the member's input, and to its output
//   combine(left, right, n)                                    left = left op right; may swap the two pointers
//   unit()                                                     pieces of vectors begin at multiples of it, in elements
template <typename V>
concept Values = requires(V& values, void*& value, std::size_t n) {
  values.slice(value, n, n);
  values.input(n, n);
  values.output(n, n);
  { values.allocate(n) } -> std::convertible_to<void*>;
  values.load(value, n, n);
  values.combine(value, value, n);
  values.store(value, n, n, n);
  { values.unit() } -> std::convertible_to<std::size_t>;
};

}  // namespace weft::mpi_shim::steps
