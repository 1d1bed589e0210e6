// Data representations of files: native and internal as in memory, external32, and those of the program
// (MPI_Register_datarep), whose functions convert the data.
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

// A conversion function of the program, in one of its two forms.
struct Conversion {
  MPI_Datarep_conversion_function* small = nullptr;
  MPI_Datarep_conversion_function_c* large = nullptr;

  // False: there is no function, and the file has the same bytes as memory.
  explicit operator bool() const { return small != nullptr || large != nullptr; }
  void pup(pup::Puper& p);
};

// The arguments of MPI_Register_datarep.
struct RegisteredDatarep {
  Conversion read, write;
  MPI_Datarep_extent_function* extent = nullptr;
  void* extra_state = nullptr;

  void pup(pup::Puper& p);
};

struct Representation {
  enum class Form : std::uint8_t { native, external32, user_defined };
  Form form = Form::native;
  const RegisteredDatarep* own = nullptr;  // for user_defined; owned by the rank's Files
};

// Nullopt for an unknown name.
std::optional<Representation> find_representation(RankState& me, const std::string& name);

// The size of one element in a file.
struct ElementInFile {
  std::uint64_t bytes = 0;
  bool uniform = true;      // the sizes of all its basic elements differ from those in memory by the same factor
  int error = MPI_SUCCESS;  // what the program's extent function returned
};
ElementInFile element_in_file(RankState& me, const Representation& representation, const Datatype& type);
// The extent of the element in a file, for MPI_File_get_type_extent.
MPI_Count extent_in_file(const ElementInFile& element, const Datatype& type);
// Sets the map of a view. False if elements have other sizes in the file and the filetype does not say where they lie.
bool find_map(const ElementInFile& element, MPI_Offset displacement, const Datatype& filetype, FileMap& map);

// Elements in memory, as passed to a call.
struct MemoryElements {
  const void* address;
  std::size_t count;
  const Datatype& type;
};

// Converts elements between memory and a file's representation. Functions of the program run on the rank's fibre.
class Staging {
 public:
  Staging(RankState& me, const Representation& representation, const MemoryElements& elements, bool writes);
  // The data to write to the file or to read from it, in the file's representation.
  const runtime::Buffer& buffer() const { return buffer_; }
  // Called after `file_bytes` bytes were transferred. Returns the corresponding bytes in memory.
  std::uint64_t finish(std::uint64_t file_bytes);
  // The error that a function of the program returned; then buffer() is empty.
  int error() const { return error_; }

 private:
  // Basic elements of one kind in a row.
  struct Run {
    std::uint64_t memory_bytes, file_bytes;  // of each
    std::uint64_t count;
  };
  void stage_own(const RegisteredDatarep& own, std::size_t count);
  std::uint64_t finish_own(std::uint64_t file_bytes);
  int convert(const Conversion& function, std::uint64_t items);

  RankState& me_;
  const Datatype& type_;
  const bool writes_;
  void* const address_;
  const RegisteredDatarep* own_ = nullptr;
  std::vector<Run> runs_;  // of one element, for the program's functions
  runtime::Buffer memory_;
  runtime::Buffer buffer_;
  std::optional<External32> external_;
  std::vector<std::byte> converted_;  // empty: the file has the same bytes as memory
  int error_ = MPI_SUCCESS;
};

}  // namespace weft::mpi_shim::io
