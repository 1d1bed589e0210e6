// How data look in a file: native and internal as in memory, external32 as the standard says, those of the program
// (MPI_Register_datarep) as its functions write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mpi.h"
#include "mpi_shim/datatype/datatype.hpp"
#include "mpi_shim/datatype/external32/external32.hpp"
#include "mpi_shim/io/file_map.hpp"
#include "runtime/p2p/buffer.hpp"

namespace weft::mpi_shim {
inline namespace state {
struct RankState;
}  // namespace state
}  // namespace weft::mpi_shim

namespace weft::mpi_shim::io {

// A function of the program in one of its two forms.
struct Conversion {
  MPI_Datarep_conversion_function* small = nullptr;
  MPI_Datarep_conversion_function_c* large = nullptr;

  // None: the file has what memory has.
  explicit operator bool() const { return small != nullptr || large != nullptr; }
  void pup(pup::Puper& p);
};

// What MPI_Register_datarep was given.
struct Registered {
  Conversion read, write;
  MPI_Datarep_extent_function* extent = nullptr;
  void* extra_state = nullptr;

  void pup(pup::Puper& p);
};

struct Representation {
  enum class Form : std::uint8_t { as_memory, external32, of_program };
  Form form = Form::as_memory;
  const Registered* own = nullptr;  // of_program's; the rank's
};

// Empty for a name that stands for none.
std::optional<Representation> find_representation(RankState& me, const std::string& name);

// One element's data in a file.
struct ElementInFile {
  std::uint64_t bytes = 0;
  bool even = true;         // the sizes of all its basic elements differ from those in memory by the same factor
  int error = MPI_SUCCESS;  // what the program's extent function returned
};
ElementInFile element_in_file(RankState& me, const Representation& representation, const Datatype& type);
MPI_Count extent_in_file(const ElementInFile& element, const Datatype& type);
// The map of a view. False where nothing says where in the file elements of other sizes lie.
bool find_map(const ElementInFile& element, MPI_Offset displacement, const Datatype& filetype, FileMap& map);

// Elements in memory, as a call names them.
struct MemoryElements {
  const void* address;
  std::size_t count;
  const Datatype& type;
};

// Elements on their way between memory and a file. Programs' functions are called on the rank's fibre.
class Staging {
 public:
  Staging(RankState& me, const Representation& representation, const MemoryElements& elements, bool writes);
  // What goes to, or comes from, the file.
  const runtime::Buffer& buffer() const { return buffer_; }
  // After moving so many bytes of the file; the bytes in memory.
  std::uint64_t finish(std::uint64_t file_bytes);
  // What a function of the program returned; then there is nothing in the file's buffer.
  int error() const { return error_; }

 private:
  // Basic elements of one kind in a row.
  struct Run {
    std::uint64_t here, there;  // bytes of each
    std::uint64_t count;
  };
  void stage_own(const Registered& own, std::size_t count);
  std::uint64_t finish_own(std::uint64_t file_bytes);
  int convert(const Conversion& function, std::uint64_t items);

  RankState& me_;
  const Datatype& type_;
  const bool writes_;
  void* const address_;
  const Registered* own_ = nullptr;
  std::vector<Run> runs_;  // of one element, for the program's functions
  runtime::Buffer memory_;
  runtime::Buffer buffer_;
  std::optional<External32> external_;
  std::vector<std::byte> converted_;  // empty: the file has what memory has
  int error_ = MPI_SUCCESS;
};

}  // namespace weft::mpi_shim::io
