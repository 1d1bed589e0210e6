// The data that one rank has for, or wants from, each member of a communicator.
#pragma once

#include <cstdint>

#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// An array of counts or displacements as the caller passed it: int, or the wide one of the large-count forms.
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(const int* narrow) : narrow_(narrow) {}
  explicit Numbers(const MPI_Count* wide) : wide_(wide) {}
  std::int64_t operator[](std::size_t i) const { return wide_ != nullptr ? wide_[i] : narrow_[i]; }
  explicit operator bool() const { return narrow_ != nullptr || wide_ != nullptr; }

 private:
  const int* narrow_ = nullptr;
  const MPI_Count* wide_ = nullptr;
};

// Block i is what goes to, or comes from, member i. Lives on the stack of the rank's call, where peers read it.
struct Blocks {
  const void* base = nullptr;
  const Datatype* type = nullptr;          // of every block, unless there are `types`
  const Datatype* const* types = nullptr;  // of each block
  MPI_Count count = 0;                     // of every block, unless there are `counts`
  Numbers counts;
  Numbers displacements;  // in extents, or in bytes with `types`; without them blocks follow each other

  const Datatype& type_of(std::size_t i) const { return types != nullptr ? *types[i] : *type; }
  runtime::Buffer operator[](std::size_t i) const;
  std::size_t bytes() const { return static_cast<std::size_t>(count) * type->size(); }  // of one block of `count`
  // Whether block i is bytes() bytes at base + i * bytes().
  bool dense() const { return !displacements && types == nullptr && type->contiguous(); }
};

// The address `offset` bytes behind `base`, which may be MPI_BOTTOM.
inline void* behind(const void* base, std::int64_t offset) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset));
}

inline runtime::Buffer Blocks::operator[](std::size_t i) const {
  const Datatype& of = type_of(i);
  const std::int64_t n = counts ? counts[i] : count;
  const std::int64_t offset = !displacements ? static_cast<std::int64_t>(i) * count * of.extent()
                                             : displacements[i] * (types != nullptr ? 1 : of.extent());
  return message_buffer(behind(base, offset), static_cast<std::size_t>(n), of);
}

// The lowest byte of the buffer's first element: a base and an offset of the type that differ from another buffer's may
// make the same address, and those that are the same (MPI_BOTTOM) another one. If two buffers that hold something begin
// at the same byte, they overlap.
inline std::byte* first_byte(const runtime::Buffer& buffer) {
  const auto* const type = static_cast<const Datatype*>(buffer.layout);
  return static_cast<std::byte*>(type == nullptr ? buffer.base : behind(buffer.base, type->true_lower_bound()));
}

// Complains about a block that holds more than its place, naming the rank that it comes from.
int raise_too_long(const Entry& entry, MPI_Comm comm, int from, std::size_t bytes, std::size_t room);
// Complains about MPI_IN_PLACE where the call needs an address.
int raise_not_in_place(const Entry& entry, const Communicator& comm, const char* name);

// A buffer argument of a call, with its count and datatype, as the caller passed them.
struct BufferArgument {
  const char* name;  // "sendbuf"
  const void* address;
  MPI_Count count;
  MPI_Datatype datatype;
};

// The communicator, or null after raising the error into `error`.
Communicator* checked_comm(const Entry& entry, MPI_Comm comm, int& error);
// The same for calls that are not defined on intercommunicators.
Communicator* checked_intra(const Entry& entry, MPI_Comm comm, int& error);
// MPI_SUCCESS and the block's type, count and address, or the error raised.
int check_buffer(const Entry& entry, const Communicator& comm, const BufferArgument& buffer, Blocks& blocks);
// The same for the arrays of the "v" calls, with `n` entries.
int check_counts(const Entry& entry, const Communicator& comm, const char* name, const Numbers& counts, int n);
// Whether `n` blocks, whose counts were checked, have an address, by base and displacement, if they hold something.
int check_places(const Entry& entry, const Communicator& comm, const char* name, const Blocks& blocks, int n);
// Also MPI_ROOT and MPI_PROC_NULL on an intercommunicator.
int check_root(const Entry& entry, const Communicator& comm, int root);

}  // namespace coll
}  // namespace weft::mpi_shim
