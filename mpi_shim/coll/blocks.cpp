#include "mpi_shim/coll/blocks.hpp"

#include "mpi_shim/comm/comm_failures.hpp"
#include "mpi_shim/entry/failure_errors.hpp"

namespace weft::mpi_shim {
inline namespace coll {

int raise_truncation(const Entry& entry, MPI_Comm comm, int from, std::size_t bytes, std::size_t room) {
  return entry.raise(comm, MPI_ERR_TRUNCATE, "rank {} sends {} bytes, but there is room for {}", from, bytes, room);
}

int raise_not_in_place(const Entry& entry, const Communicator& comm, const char* name) {
  return entry.raise(comm.handle, MPI_ERR_BUFFER, "{} is MPI_IN_PLACE, which has no meaning here", name);
}

Communicator* checked_comm(const Entry& entry, MPI_Comm comm, int& error) {
  Communicator* const found = find_comm(entry.me, comm);
  error = found != nullptr ? MPI_SUCCESS : entry.bad_comm(comm);
  if (found != nullptr) {
    if (const auto why = failure_of_collective(*found); why != runtime::Failure::none) [[unlikely]] {
      error = raise_failure(entry, comm, why);
      return nullptr;
    }
  }
  return found;
}

Communicator* checked_intra(const Entry& entry, MPI_Comm comm, int& error) {
  Communicator* const found = checked_comm(entry, comm, error);
  if (found != nullptr && found->is_inter()) [[unlikely]] {
    error = entry.raise(comm, MPI_ERR_COMM, "comm is an intercommunicator, on which this call is not defined");
    return nullptr;
  }
  return found;
}

int check_buffer(const Entry& entry, const Communicator& comm, const BufferArgument& buffer, Blocks& blocks) {
  const Datatype* const type = find_datatype(entry.me, buffer.datatype);
  if (type == nullptr || !type->committed) [[unlikely]] {
    return entry.raise(comm.handle, MPI_ERR_TYPE, "the datatype of {} is {}", buffer.name,
                       type == nullptr ? "not a datatype" : "not committed");
  }
  if (buffer.count < 0) [[unlikely]] {
    return entry.raise(comm.handle, MPI_ERR_COUNT, "the count {} of {} is negative", buffer.count, buffer.name);
  }
  if (buffer.address == nullptr && lies_at_null(nullptr, buffer.count, *type)) [[unlikely]] {
    return entry.raise(comm.handle, MPI_ERR_BUFFER, "{} is null", buffer.name);
  }
  if (buffer.address == MPI_IN_PLACE) [[unlikely]] {
    return raise_not_in_place(entry, comm, buffer.name);
  }
  blocks.base = buffer.address;
  blocks.count = buffer.count;
  blocks.type = type;
  return MPI_SUCCESS;
}

int check_counts(const Entry& entry, const Communicator& comm, const char* name, const ArrayArgument& counts, int n) {
  if (!counts && n > 0) [[unlikely]] {
    return entry.raise(comm.handle, MPI_ERR_ARG, "{} is null", name);
  }
  for (int i = 0; i < n; ++i) {
    if (counts[static_cast<std::size_t>(i)] < 0) [[unlikely]] {
      return entry.raise(comm.handle, MPI_ERR_COUNT, "{}[{}] is {}, which is negative", name, i,
                         counts[static_cast<std::size_t>(i)]);
    }
  }
  return MPI_SUCCESS;
}

int check_block_addresses(const Entry& entry, const Communicator& comm, const char* name, const Blocks& blocks, int n) {
  if (blocks.base != nullptr) [[likely]] {
    return MPI_SUCCESS;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    const void* const address = blocks[i].base;  // by the displacement, which is an address if the base is MPI_BOTTOM
    if (lies_at_null(address, blocks.counts[i], blocks.type_of(i))) {
      return entry.raise(comm.handle, MPI_ERR_BUFFER, "{} is null, and so is what block {} begins with", name, i);
    }
  }
  return MPI_SUCCESS;
}

int check_root(const Entry& entry, const Communicator& comm, int root) {
  if ((root >= 0 && root < comm.peers().size()) || (comm.is_inter() && (root == MPI_ROOT || root == MPI_PROC_NULL)))
      [[likely]] {
    return MPI_SUCCESS;
  }
  return entry.raise(comm.handle, MPI_ERR_ROOT, "root {} is not a rank of a group of {}", root, comm.peers().size());
}

}  // namespace coll
}  // namespace weft::mpi_shim
