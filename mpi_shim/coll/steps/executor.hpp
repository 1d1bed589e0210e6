// What the algorithms of collective calls are written in: one member's sends, receives, copies and combinations. An
// executor does them at once, writes them down for a request, or simulates them. Nothing here knows MPI or the runtime.
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

namespace weft::mpi_shim::steps {

// E::Members is a group of which the caller is a member: its size() and the caller's number in it, rank().
// E::Memory is a place that holds a message: `base`, `bytes`, and a `layout`, null where the bytes lie in a row.
// A ticket is that of a message that has been started; each is waited for once. What a step reads may have been written
// by those before it, and by no others, so no algorithm may ask what it has received. What the memory names stays in
// place until the call is over, and so does what scratch() gives.
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

// The values that a reduction combines: vectors of elements, of which a value is a run in memory of its own.
//   run(value, first, n), input(first, n), output(first, n)   elements of a value, of the member's vectors, as memory
//   room(n)                                                   a new value of n elements
//   load(value, first, n), store(value, first, n, place)      from the member's input, to its output
//   append(left, right, n)                                    left = left op right; the two may change places
//   unit()                                                    pieces of vectors begin at multiples of so many elements
template <typename V>
concept Values = requires(V& values, void*& value, std::size_t n) {
  values.run(value, n, n);
  values.input(n, n);
  values.output(n, n);
  { values.room(n) } -> std::convertible_to<void*>;
  values.load(value, n, n);
  values.append(value, value, n);
  values.store(value, n, n, n);
  { values.unit() } -> std::convertible_to<std::size_t>;
};

}  // namespace weft::mpi_shim::steps
