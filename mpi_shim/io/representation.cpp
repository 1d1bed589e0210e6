#include "mpi_shim/io/representation.hpp"

#include <string_view>

#include "mpi_shim/io/problem.hpp"

namespace weft::mpi_shim::io {

bool find_form(const std::string& name, Form& form) {
  form = name == "external32" ? Form::external32 : Form::as_memory;
  return form == Form::external32 || name == "native" || name == "internal";
}

Staging::Staging(Form form, const Datatype& type, const void* address, std::size_t count, bool writes)
    : memory_(message_buffer(address, count, type)), buffer_(memory_) {
  if (form == Form::as_memory) {
    return;
  }
  type_ = &type;
  external_ = External32(type);
  converted_.resize(count * external_->size());
  buffer_ = {converted_.data(), converted_.size()};
  if (writes) {
    std::vector<std::byte> packed(memory_.bytes);
    runtime::pack(memory_, packed);
    external_->write(packed, converted_.data());
  }
}

std::uint64_t Staging::finish(std::uint64_t file_bytes) {
  if (!external_) {
    return file_bytes;
  }
  const std::size_t elements = external_->size() == 0 ? 0 : file_bytes / external_->size();
  std::vector<std::byte> packed(elements * type_->size());
  external_->read(converted_.data(), packed);
  runtime::unpack(packed, memory_);
  return packed.size();
}

std::uint64_t bytes_in_file(Form form, const Datatype& type) {
  return form == Form::as_memory ? type.size() : External32(type).size();
}

bool find_map(Form form, MPI_Offset displacement, const Datatype& filetype, FileMap& map) {
  const std::uint64_t bytes = bytes_in_file(form, filetype);
  if (bytes == filetype.size()) {
    map = FileMap(displacement, filetype);
  } else {
    map = FileMap(displacement);
  }
  return bytes == filetype.size() || filetype.contiguous();
}

MPI_Count extent_in_file(Form form, const Datatype& type) {
  const std::uint64_t bytes = bytes_in_file(form, type);
  return bytes == type.size() ? type.extent() : static_cast<MPI_Count>(bytes);
}

}  // namespace weft::mpi_shim::io

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::io;

namespace {

int register_representation(const Entry& entry, const char* name, MPI_Datarep_extent_function* extent) {
  if (name == nullptr || *name == '\0' || std::string_view(name).size() >= MPI_MAX_DATAREP_STRING) {
    return raise(
        entry, nullptr,
        problem(MPI_ERR_ARG, "datarep has no name, or one of more than {} characters", MPI_MAX_DATAREP_STRING - 1));
  }
  if (extent == nullptr) {
    return raise_null(entry, nullptr, "dtype_file_extent_fn");
  }
  Form form = Form::as_memory;
  if (find_form(name, form) || !entry.me.files->representations.emplace(name, true).second) {
    return raise(entry, nullptr, problem(MPI_ERR_DUP_DATAREP, "datarep \"{}\" is there already", name));
  }
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Register_datarep(const char* datarep, MPI_Datarep_conversion_function* /*read_conversion_fn*/,
                          MPI_Datarep_conversion_function* /*write_conversion_fn*/,
                          MPI_Datarep_extent_function* dtype_file_extent_fn, void* /*extra_state*/) {
  return register_representation(Entry("MPI_Register_datarep"), datarep, dtype_file_extent_fn);
}

int PMPI_Register_datarep_c(const char* datarep, MPI_Datarep_conversion_function_c* /*read_conversion_fn*/,
                            MPI_Datarep_conversion_function_c* /*write_conversion_fn*/,
                            MPI_Datarep_extent_function* dtype_file_extent_fn, void* /*extra_state*/) {
  return register_representation(Entry("MPI_Register_datarep_c"), datarep, dtype_file_extent_fn);
}
}
