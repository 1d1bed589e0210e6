// How data look in a file: native and internal as in memory, external32 as the standard says, others as functions of
// the program say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mpi.h"
#include "mpi_shim/datatype.hpp"
#include "pup/pup.hpp"
#include "runtime/message/buffer.hpp"

namespace weft::mpi_shim {
struct RankState;
}

namespace weft::mpi_shim::io {

// What MPI_Register_datarep was given.
struct UserRepresentation {
  void (*read)() = nullptr;  // null: as in memory
  void (*write)() = nullptr;
  MPI_Datarep_extent_function* extent = nullptr;
  void* state = nullptr;
  bool large = false;  // read and write take an MPI_Count

  void pup(pup::Puper& p) {
    pup::same_address(p, read);
    pup::same_address(p, write);
    pup::same_address(p, extent);
    pup::same_address(p, state);
    p | large;
  }
};

enum class Form : std::uint8_t { as_memory, external32, of_program };

// False when the rank knows no representation of this name.
bool find_form(RankState& me, const std::string& name, Form& form);

// Elements on their way between memory and a file.
class Staging {
 public:
  // `count` elements of `type` at `address`; for a file of the form.
  Staging(Form form, const Datatype& type, const void* address, std::size_t count, bool writes);
  // What goes to, or comes from, the file.
  const runtime::Buffer& buffer() const { return buffer_; }
  // After reading so many bytes of the file; the bytes in memory.
  std::uint64_t finish(std::uint64_t file_bytes);

 private:
  runtime::Buffer memory_;
  runtime::Buffer buffer_;
};

// The bytes that an element's data have in a file of the form.
std::uint64_t bytes_in_file(Form form, const Datatype& type);

}  // namespace weft::mpi_shim::io
