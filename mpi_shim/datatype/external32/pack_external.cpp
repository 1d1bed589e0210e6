// MPI_Pack_external, MPI_Unpack_external and MPI_Pack_external_size.
#include <optional>
#include <string_view>
#include <vector>

#include "mpi_shim/datatype/external32/external32.hpp"
#include "mpi_shim/entry/message_arguments.hpp"
#include "mpi_shim/error/errhandler.hpp"

using namespace weft::mpi_shim;
namespace runtime = weft::runtime;

namespace {

// The program's elements that a call packs or unpacks. These calls have no communicator, so errors are raised on
// fallback_comm().
MessageArguments elements(const Entry& entry, const void* address, MPI_Count count, MPI_Datatype type) {
  return {address, count, type, 0, 0, fallback_comm(entry.me).handle};
}

int check_representation(const Entry& entry, const char* datarep) {
  if (datarep != nullptr && std::string_view(datarep) == "external32") {
    return MPI_SUCCESS;
  }
  return entry.raise(MPI_COMM_NULL, MPI_ERR_UNSUPPORTED_DATAREP, "datarep is {}: only external32 can be packed",
                     datarep == nullptr ? "a null pointer" : datarep);
}

template <typename Number>
struct Room {
  void* address;
  Number size;
  Number* position;
};

// MPI_SUCCESS when `bytes` more fit behind the position, else the error that was raised.
template <typename Number>
int check_room(const Entry& entry, const Room<Number>& room, std::size_t bytes) {
  if (room.position == nullptr || *room.position < 0 || room.size < *room.position) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "position is null or not within the buffer of {} bytes", room.size);
  }
  if (bytes > static_cast<std::size_t>(room.size - *room.position)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_TRUNCATE, "{} bytes at position {} do not fit the buffer of {} bytes",
                       bytes, *room.position, room.size);
  }
  if (bytes > 0 && (room.address == nullptr || room.address == MPI_IN_PLACE)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_BUFFER, "the packed buffer is a null pointer or MPI_IN_PLACE");
  }
  return MPI_SUCCESS;
}

// The checks and the buffers of both directions.
template <typename Number>
struct Conversion {
  Conversion(const Entry& entry, const char* datarep, const MessageArguments& call, const Room<Number>& room)
      : error(check_representation(entry, datarep)) {
    if (error == MPI_SUCCESS) {
      error = refuse_buffer(entry, call);
    }
    if (error != MPI_SUCCESS) {
      return;
    }
    const Datatype& type = *find_datatype(entry.me, call.datatype);
    const auto count = static_cast<std::size_t>(call.count);
    external = count * external_size(type).bytes;
    error = check_room(entry, room, external);
    if (error == MPI_SUCCESS && external != 0) {
      form.emplace(type);
      buffer = message_buffer(call.address, count, type);
      packed.resize(buffer.bytes);
    }
  }

  int error;
  std::optional<External32> form;  // none: nothing to convert
  std::size_t external = 0;        // bytes
  runtime::Buffer buffer;
  std::vector<std::byte> packed;  // in this machine's representation
};

template <typename Number>
int pack(const Entry& entry, const char* datarep, const MessageArguments& call, const Room<Number>& room) {
  Conversion<Number> conversion(entry, datarep, call, room);
  if (conversion.form) {
    runtime::pack(conversion.buffer, conversion.packed);
    conversion.form->write(conversion.packed, static_cast<std::byte*>(room.address) + *room.position);
    *room.position += static_cast<Number>(conversion.external);
  }
  return conversion.error;
}

template <typename Number>
int unpack(const Entry& entry, const char* datarep, const MessageArguments& call, const Room<Number>& room) {
  Conversion<Number> conversion(entry, datarep, call, room);
  if (conversion.form) {
    conversion.form->read(static_cast<const std::byte*>(room.address) + *room.position, conversion.packed);
    runtime::unpack(conversion.packed, conversion.buffer);
    *room.position += static_cast<Number>(conversion.external);
  }
  return conversion.error;
}

char nowhere = 0;  // not null, for calls without a buffer

template <typename Number>
int pack_size(const Entry& entry, const char* datarep, MPI_Count count, MPI_Datatype datatype, Number* size) {
  if (const int error = check_representation(entry, datarep); error != MPI_SUCCESS) {
    return error;
  }
  if (const int error = refuse_buffer(entry, elements(entry, &nowhere, count, datatype)); error != MPI_SUCCESS) {
    return error;
  }
  if (size == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "size");
  }
  *size =
      static_cast<Number>(static_cast<std::size_t>(count) * external_size(*find_datatype(entry.me, datatype)).bytes);
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/datatype/external32/pack_external.inc"
