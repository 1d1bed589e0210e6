// How data look in a file: native and internal as in memory, external32 as the standard says, those of the program
// (MPI_Register_datarep) have a name and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mpi.h"
#include "mpi_shim/datatype.hpp"
#include "mpi_shim/external32/external32.hpp"
#include "mpi_shim/io/file_map.hpp"
#include "runtime/message/buffer.hpp"

namespace weft::mpi_shim::io {

enum class Form : std::uint8_t { as_memory, external32 };

// False for a name that stands for neither.
bool find_form(const std::string& name, Form& form);

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
  const Datatype* type_ = nullptr;
  runtime::Buffer memory_;
  runtime::Buffer buffer_;
  std::optional<External32> external_;  // none: the file has what memory has
  std::vector<std::byte> converted_;
};

// The bytes that an element's data have in a file of the form.
std::uint64_t bytes_in_file(Form form, const Datatype& type);
MPI_Count extent_in_file(Form form, const Datatype& type);
// The map of a view. False where numbers of other sizes in the file would lie between gaps.
bool find_map(Form form, MPI_Offset displacement, const Datatype& filetype, FileMap& map);

}  // namespace weft::mpi_shim::io
