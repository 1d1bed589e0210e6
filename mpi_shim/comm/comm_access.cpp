// What a communicator is: size, rank, name, hints.
#include <cstring>

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/info/info.hpp"

namespace {

using namespace weft::mpi_shim;

}  // namespace

extern "C" {

int PMPI_Comm_size(MPI_Comm comm, int* size) {
  const Entry entry("MPI_Comm_size");
  const Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr || size == nullptr) [[unlikely]] {
    return found == nullptr ? entry.bad_comm(comm) : entry.null_argument(comm, "size");
  }
  *size = found->size();
  return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
  const Entry entry("MPI_Comm_rank");
  const Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr || rank == nullptr) [[unlikely]] {
    return found == nullptr ? entry.bad_comm(comm) : entry.null_argument(comm, "rank");
  }
  *rank = found->rank;
  return MPI_SUCCESS;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  const Entry entry("MPI_Comm_test_inter");
  const Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr || flag == nullptr) {
    return found == nullptr ? entry.bad_comm(comm) : entry.null_argument(comm, "flag");
  }
  *flag = static_cast<int>(found->is_inter());
  return MPI_SUCCESS;
}

int PMPI_Comm_remote_size(MPI_Comm comm, int* size) {
  const Entry entry("MPI_Comm_remote_size");
  const Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr || size == nullptr) {
    return found == nullptr ? entry.bad_comm(comm) : entry.null_argument(comm, "size");
  }
  if (!found->is_inter()) {
    return entry.raise(comm, MPI_ERR_COMM, "comm is not an intercommunicator");
  }
  *size = found->shared->remote->size();
  return MPI_SUCCESS;
}

int PMPI_Comm_get_parent(MPI_Comm* parent) {
  const Entry entry("MPI_Comm_get_parent");
  if (parent == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "parent");
  }
  *parent = entry.me.parent;
  return MPI_SUCCESS;
}

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  const Entry entry("MPI_Comm_compare");
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
    *result = std::max(*result, compare(*a->shared->remote, *b->shared->remote));
  }
  if (*result == MPI_IDENT) {
    *result = MPI_CONGRUENT;
  }
  return MPI_SUCCESS;
}

int PMPI_Comm_set_name(MPI_Comm comm, const char* comm_name) {
  const Entry entry("MPI_Comm_set_name");
  Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr || comm_name == nullptr) {
    return found == nullptr ? entry.bad_comm(comm) : entry.null_argument(comm, "comm_name");
  }
  found->name.assign(comm_name, strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

int PMPI_Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
  const Entry entry("MPI_Comm_get_name");
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

int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  const Entry entry("MPI_Comm_set_info");
  Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr) {
    return entry.bad_comm(comm);
  }
  const Info* const hints = find_info(entry.me, info);
  if (hints == nullptr && info != MPI_INFO_NULL) {
    return entry.raise(comm, MPI_ERR_INFO, "info is not an info object");
  }
  found->hints = hints == nullptr ? decltype(found->hints){} : hints->pairs;
  return MPI_SUCCESS;
}

int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  const Entry entry("MPI_Comm_get_info");
  const Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr || info_used == nullptr) {
    return found == nullptr ? entry.bad_comm(comm) : entry.null_argument(comm, "info_used");
  }
  *info_used = new_info(entry.me, Info{found->hints});
  return MPI_SUCCESS;
}
}
