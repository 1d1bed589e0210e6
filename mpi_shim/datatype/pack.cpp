// MPI_Pack, MPI_Unpack and MPI_Pack_size.
#include <limits>

#include "mpi_shim/entry/message_arguments.hpp"

using namespace weft::mpi_shim;
namespace runtime = weft::runtime;

namespace {

// A buffer of packed bytes and the current position in it.
template <typename Number>
struct PackBuffer {
  const void* address;
  Number size;
  Number* position;
};

template <typename Number>
int check_room(const Entry& entry, const MessageArguments& call, const PackBuffer<Number>& packed, std::size_t bytes) {
  if (packed.position == nullptr || *packed.position < 0 || packed.size < *packed.position) {
    return entry.raise(call.comm, MPI_ERR_ARG, "position is null or not within the buffer of {} bytes", packed.size);
  }
  if ((packed.address == nullptr || packed.address == MPI_IN_PLACE) && bytes > 0) {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "the buffer of packed bytes is a null pointer or MPI_IN_PLACE");
  }
  if (bytes > static_cast<std::size_t>(packed.size - *packed.position)) {
    return entry.raise(call.comm, MPI_ERR_TRUNCATE, "{} bytes at position {} do not fit the buffer of {} bytes", bytes,
                       *packed.position, packed.size);
  }
  return MPI_SUCCESS;
}

// The checked message of the call, or the error that was raised.
template <typename Number>
int prepare(const Entry& entry, const MessageArguments& call, const PackBuffer<Number>& packed,
            runtime::Buffer& buffer) {
  if (const int error = refuse_buffer(entry, call); error != MPI_SUCCESS) {
    return error;
  }
  buffer = message_buffer(call.address, static_cast<std::size_t>(call.count), *find_datatype(entry.me, call.datatype));
  return check_room(entry, call, packed, buffer.bytes);
}

template <typename Number>
int pack(const Entry& entry, const MessageArguments& call, const PackBuffer<Number>& packed) {
  runtime::Buffer buffer;
  if (const int error = prepare(entry, call, packed, buffer); error != MPI_SUCCESS) {
    return error;
  }
  auto* const out = static_cast<std::byte*>(const_cast<void*>(packed.address)) + *packed.position;
  runtime::pack(buffer, {out, buffer.bytes});
  *packed.position += static_cast<Number>(buffer.bytes);
  return MPI_SUCCESS;
}

template <typename Number>
int unpack(const Entry& entry, const MessageArguments& call, const PackBuffer<Number>& packed) {
  runtime::Buffer buffer;
  if (const int error = prepare(entry, call, packed, buffer); error != MPI_SUCCESS) {
    return error;
  }
  const auto* const in = static_cast<const std::byte*>(packed.address) + *packed.position;
  runtime::unpack({in, buffer.bytes}, buffer);
  *packed.position += static_cast<Number>(buffer.bytes);
  return MPI_SUCCESS;
}

template <typename Number>
int pack_size(const Entry& entry, const MessageArguments& call, Number* size) {
  if (const int error = refuse_buffer(entry, call); error != MPI_SUCCESS) {
    return error;
  }
  const std::size_t bytes = static_cast<std::size_t>(call.count) * find_datatype(entry.me, call.datatype)->size();
  if (bytes > static_cast<std::size_t>(std::numeric_limits<Number>::max())) {
    return entry.raise(call.comm, MPI_ERR_VALUE_TOO_LARGE,
                       "{} packed bytes do not fit the result: call MPI_Pack_size_c", bytes);
  }
  *size = static_cast<Number>(bytes);
  return MPI_SUCCESS;
}

// An address that is not null, for MPI_Pack_size, which has no buffer.
char nowhere = 0;

}  // namespace

#include "mpi_shim/generated/datatype/pack.inc"
