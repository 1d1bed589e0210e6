// MPI_Comm_size, MPI_Comm_rank and other calls that query a communicator, or set its name and hints.
#include <algorithm>
#include <cstring>
#include <utility>

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/info/info.hpp"

namespace {

using namespace weft::mpi_shim;

int comm_size(const Entry&, Communicator& comm, int* size) {
  *size = comm.size();
  return MPI_SUCCESS;
}

int comm_rank(const Entry&, Communicator& comm, int* rank) {
  *rank = comm.rank;
  return MPI_SUCCESS;
}

int comm_test_inter(const Entry&, Communicator& comm, int* flag) {
  *flag = static_cast<int>(comm.is_inter());
  return MPI_SUCCESS;
}

int comm_remote_size(const Entry& entry, Communicator& comm, int* size) {
  if (!comm.is_inter()) {
    return entry.raise(comm.handle, MPI_ERR_COMM, "comm is not an intercommunicator");
  }
  *size = comm.shared->remote->size();
  return MPI_SUCCESS;
}

int comm_get_parent(const Entry& entry, MPI_Comm* parent) {
  *parent = entry.me.parent;
  return MPI_SUCCESS;
}

int comm_compare(const Entry& entry, MPI_Comm comm1, MPI_Comm comm2, int* result) {
  const Communicator* const a = find_comm(entry.me, comm1);
  const Communicator* const b = find_comm(entry.me, comm2);
  if (a == nullptr || b == nullptr) {
    return entry.bad_comm(a == nullptr ? comm1 : comm2);
  }
  if (result == nullptr) {
    return entry.null_argument(comm1, "result");
  }
  if (a == b) {
    *result = MPI_IDENT;
    return MPI_SUCCESS;
  }
  if (a->is_inter() != b->is_inter()) {
    *result = MPI_UNEQUAL;
    return MPI_SUCCESS;
  }
  *result = compare(*a->shared->group, *b->shared->group);
  if (a->is_inter()) {
    // The less alike, the larger the constant.
    *result = std::max(*result, compare(*a->shared->remote, *b->shared->remote));
  }
  if (*result == MPI_IDENT) {
    *result = MPI_CONGRUENT;
  }
  return MPI_SUCCESS;
}

int comm_set_name(const Entry&, Communicator& comm, const char* comm_name) {
  comm.name.assign(comm_name, strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

int comm_get_name(const Entry& entry, MPI_Comm comm, char* comm_name, int* resultlen) {
  // The standard gives MPI_COMM_NULL a name, though it is no communicator.
  const Communicator* const found = find_comm(entry.me, comm);
  if ((found == nullptr && comm != MPI_COMM_NULL) || comm_name == nullptr) {
    return comm_name == nullptr ? entry.null_argument(comm, "comm_name") : entry.bad_comm(comm);
  }
  const std::string& name = found == nullptr ? std::string("MPI_COMM_NULL") : found->name;
  std::memcpy(comm_name, name.c_str(), name.size() + 1);
  *resultlen = static_cast<int>(name.size());
  return MPI_SUCCESS;
}

int comm_set_info(const Entry& entry, Communicator& comm, MPI_Info info) {
  const Info* const hints = find_info(entry.me, info);
  if (hints == nullptr && info != MPI_INFO_NULL) {
    return entry.raise(comm.handle, MPI_ERR_INFO, "info is not an info object");
  }
  Info all{comm.hints};
  all.merge(hints);
  comm.hints = std::move(all.pairs);
  return MPI_SUCCESS;
}

int comm_get_info(const Entry& entry, Communicator& comm, MPI_Info* info_used) {
  *info_used = new_info(entry.me, Info{comm.hints});
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/comm/comm_access.inc"
