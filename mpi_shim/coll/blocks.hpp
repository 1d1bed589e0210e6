// Buffer arguments of collective calls: one block of data for, or from, each member of a communicator; and their
// checks.
#pragma once

#include <cstdint>

#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// An array of counts or displacements as the caller passed it: of int, or of MPI_Count in the large-count forms.
class ArrayArgument {
 public:
  ArrayArgument() = default;
  explicit ArrayArgument(const int* narrow) : narrow_(narrow) {}
  explicit ArrayArgument(const MPI_Count* wide) : wide_(wide) {}
  std::int64_t operator[](std::size_t i) const { return wide_ != nullptr ? wide_[i] : narrow_[i]; }
  explicit operator bool() const { return narrow_ != nullptr || wide_ != nullptr; }

 private:
  const int* narrow_ = nullptr;
  const MPI_Count* wide_ = nullptr;
};

// Block i goes to, or comes from, member i. Lives on the stack of the rank's call; the other members read it there.
struct Blocks {
  const void* base = nullptr;
  const Datatype* type = nullptr;          // of every block, unless `types` is set
  const Datatype* const* types = nullptr;  // of each block
  MPI_Count count = 0;                     // of every block, unless `counts` is set
  ArrayArgument counts;
  ArrayArgument displacements;  // in extents, or in bytes with `types`; unset: blocks follow each other

  const Datatype& type_of(std::size_t i) const { return types != nullptr ? *types[i] : *type; }
  runtime::Buffer operator[](std::size_t i) const;
  std::size_t bytes() const { return static_cast<std::size_t>(count) * type->size(); }  // of one block of `count`
  // Whether block i is bytes() bytes at base + i * bytes().
  bool dense() const { return !displacements && types == nullptr && type->contiguous(); }
};

// The address `offset` bytes after `base`, which may be MPI_BOTTOM.
inline void* address_at(const void* base, std::int64_t offset) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset));
}

inline runtime::Buffer Blocks::operator[](std::size_t i) const {
  const Datatype& of = type_of(i);
  const std::int64_t n = counts ? counts[i] : count;
  const std::int64_t offset = !displacements ? static_cast<std::int64_t>(i) * count * of.extent()
                                             : displacements[i] * (types != nullptr ? 1 : of.extent());
  return message_buffer(address_at(base, offset), static_cast<std::size_t>(n), of);
}

// The lowest byte of the buffer's first element. Two buffers that are not empty overlap if their first bytes are equal.
// Comparing base addresses would not do: the type's lower bound is added to them, and MPI_BOTTOM is the base of many.
inline std::byte* first_byte(const runtime::Buffer& buffer) {
  const auto* const type = static_cast<const Datatype*>(buffer.layout);
  return static_cast<std::byte*>(type == nullptr ? buffer.base : address_at(buffer.base, type->true_lower_bound()));
}

// Raises MPI_ERR_TRUNCATE: rank `from` sent a block of `bytes` bytes, but the receive buffer has only `room` for it.
int raise_truncation(const Entry& entry, MPI_Comm comm, int from, std::size_t bytes, std::size_t room);
// Raises MPI_ERR_BUFFER: the argument is MPI_IN_PLACE where the call needs an address.
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
// MPI_SUCCESS with the type, count and address in `blocks`, or the error raised.
int check_buffer(const Entry& entry, const Communicator& comm, const BufferArgument& buffer, Blocks& blocks);
// MPI_SUCCESS if the array of the "v" calls is not null and none of its `n` counts is negative, or the error raised.
int check_counts(const Entry& entry, const Communicator& comm, const char* name, const ArrayArgument& counts, int n);
// MPI_SUCCESS if each of the `n` blocks that is not empty has an address (base plus displacement), or the error raised.
// REQUIRES: check_counts() was successful.
int check_block_addresses(const Entry& entry, const Communicator& comm, const char* name, const Blocks& blocks, int n);
// MPI_SUCCESS or the error raised. On an intercommunicator MPI_ROOT and MPI_PROC_NULL are valid too.
int check_root(const Entry& entry, const Communicator& comm, int root);

}  // namespace coll
}  // namespace weft::mpi_shim
