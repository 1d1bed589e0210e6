// The object behind AMPI's pup_er: counts, packs or unpacks for the pup functions of a program.
#pragma once

#include <cstddef>
#include <limits>

namespace weft::mpi_shim {
inline namespace ampi {

// Programs know the layout: class PUP::er in include/pup.h.
struct Puper {
  enum Mode : unsigned { kSizing = 1, kPacking = 2, kUnpacking = 4, kDeleting = 8, kMigration = 16 };

  unsigned mode = kSizing;
  std::byte* at = nullptr;  // the next byte to write or read
  std::size_t size = 0;     // bytes counted, packed or unpacked so far
  // Bytes that the function may still count or copy. If it asks for more, the job ends with a line that says so.
  std::size_t bytes_left = std::numeric_limits<std::size_t>::max();

  // Counts, copies from or copies to `raw`.
  void bytes(void* raw, std::size_t count);
};

}  // namespace ampi
}  // namespace weft::mpi_shim
