// Moving data between a rank's memory and the bytes of a file that its view shows.
#pragma once

#include <cstdint>

#include "mpi_shim/io/file.hpp"
#include "mpi_shim/io/problem.hpp"
#include "runtime/p2p/buffer.hpp"

namespace weft::mpi_shim::io {

// One call's: `memory` goes to or comes from the view's data from position `begin` on.
struct Access {
  PosixFile* posix;  // null with an `error`
  const FileMap& map;
  const Info& hints;
  bool atomic;
  bool writes;
  runtime::Buffer memory;
  std::uint64_t begin;
  int error = 0;  // an errno: why there is nothing to move

  std::uint64_t end() const { return begin + memory.bytes; }
};

// What became of it: an errno or 0, and the bytes moved, fewer than wanted only at the end of the file.
struct Moved {
  int error = 0;
  std::uint64_t bytes = 0;
};

// By this rank alone. Never suspends.
Moved move_alone(const Access& access);

// Collective over the file's communicator, suspends. Where members' parts of the file lie between each other, a few
// members (aggregators) write or read long stretches of it, of which all give or take their bytes.
Moved move_together(const Entry& entry, const Communicator& comm, const Access& access);

// A part of a packed message: its bytes [skip, skip + n) to or from `bytes`.
void copy_out(const runtime::Buffer& memory, std::uint64_t skip, std::span<std::byte> bytes);
void copy_in(const runtime::Buffer& memory, std::uint64_t skip, std::span<const std::byte> bytes);

}  // namespace weft::mpi_shim::io
