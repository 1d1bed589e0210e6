// Transfers data between a rank's memory and the bytes of a file that its view shows.
#pragma once

#include <cstdint>

#include "mpi_shim/io/file.hpp"
#include "mpi_shim/io/problem.hpp"
#include "runtime/p2p/buffer.hpp"

namespace weft::mpi_shim::io {

// One call's transfer: `memory` is written to, or read from, the view's data from position `begin` on.
struct Access {
  PosixFile* posix;  // null with an `error`
  const FileMap& map;
  const Info& hints;
  bool atomic;
  bool writes;
  runtime::Buffer memory;
  std::uint64_t begin;
  int error = 0;  // an errno: why the file cannot be accessed

  std::uint64_t end() const { return begin + memory.bytes; }
};

// An errno or 0, and the bytes transferred: fewer than requested only at the end of the file or after an error.
struct AccessResult {
  int error = 0;
  std::uint64_t bytes = 0;
};

// Independent access by this rank. Never suspends the rank.
AccessResult access_independently(const Access& access);

// Collective over the file's communicator; suspends the rank. If the members' parts of the file are interleaved, a few
// members (aggregators) write or read long ranges of it and exchange the data with the other members (two-phase I/O).
AccessResult access_collectively(const Entry& entry, const Communicator& comm, const Access& access);

// Copy packed bytes [skip, skip + bytes.size()) of `memory` to or from `bytes`.
void copy_out(const runtime::Buffer& memory, std::uint64_t skip, std::span<std::byte> bytes);
void copy_in(const runtime::Buffer& memory, std::uint64_t skip, std::span<const std::byte> bytes);

}  // namespace weft::mpi_shim::io
