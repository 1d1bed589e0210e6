// The functions of mpi-ext.h.
#include <algorithm>
#include <bit>

#include "mpi-ext.h"
#include "mpi_shim/comm/comm_failures.hpp"
#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/failure/agreement.hpp"
#include "mpi_shim/request/progress.hpp"

namespace weft::mpi_shim {
inline namespace failure {
namespace {

// Null after an error has been raised, which is then in `error`. `out` is the output argument called `name`.
Communicator* checked_comm(const Entry& entry, MPI_Comm comm, const void* out, const char* name, int& error) {
  Communicator* const found = find_comm(entry.me, comm);
  error = found == nullptr ? entry.bad_comm(comm) : out == nullptr ? entry.null_argument(comm, name) : MPI_SUCCESS;
  return error == MPI_SUCCESS ? found : nullptr;
}

int check_fault_tolerant(const Entry& entry, MPI_Comm comm) {
  return entry.me.rank->job.failures() != nullptr
             ? MPI_SUCCESS
             : entry.raise(comm, MPI_ERR_UNSUPPORTED_OPERATION, "the job was started without --survive api");
}

// As checked_comm(), for a call by which the surviving members agree: the job must have --survive api.
Communicator* checked_to_agree(const Entry& entry, MPI_Comm comm, const void* out, const char* name, int& error) {
  Communicator* const found = checked_comm(entry, comm, out, name, error);
  error = found == nullptr ? error : check_fault_tolerant(entry, comm);
  return error == MPI_SUCCESS ? found : nullptr;
}

int get_group(const Entry& entry, const Communicator& comm, std::size_t count, MPI_Group* group) {
  std::vector<int> failed = failed_members(entry.me, comm);
  failed.resize(std::min(count, failed.size()));
  *group = new_group(entry.me, Group::list(std::move(failed)));
  return MPI_SUCCESS;
}

int raise_unacknowledged(const Entry& entry, MPI_Comm comm) {
  return entry.raise(comm, MPIX_ERR_PROC_FAILED, "members have died, and not all that live have acknowledged it");
}

// The blocking form; `prepare` sets flag or newcomm of the operation.
template <typename Prepare>
int agree_blocking(const Entry& entry, Communicator& comm, std::uint32_t flags, Prepare&& prepare) {
  AgreementOperation operation;
  prepare(operation);
  operation.begin(entry.me, comm, flags);
  wait_message(entry.me, operation.completion);
  operation.advance(entry.me);
  MPI_Status nothing{};
  const int error = operation.finish(entry.me, nothing);
  return error == MPI_SUCCESS ? MPI_SUCCESS : raise_unacknowledged(entry, comm.handle);
}

template <typename Prepare>
int agree_nonblocking(const Entry& entry, Communicator& comm, std::uint32_t flags, MPI_Request* request,
                      Prepare&& prepare) {
  if (request == nullptr) {
    return entry.null_argument(comm.handle, "request");
  }
  auto operation = std::make_unique<AgreementOperation>();
  prepare(*operation);
  operation->begin(entry.me, comm, flags);
  *request = add_operation(entry.me, comm.handle, std::move(operation));
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace failure
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

extern "C" {

int MPIX_Comm_revoke(MPI_Comm comm) {
  const Entry entry("MPIX_Comm_revoke");
  Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr) {
    return entry.bad_comm(comm);
  }
  if (const int error = check_fault_tolerant(entry, comm); error != MPI_SUCCESS) {
    return error;
  }
  if (comm == MPI_COMM_SELF) {
    return entry.raise(comm, MPI_ERR_COMM, "MPI_COMM_SELF cannot be revoked");
  }
  found->shared->failures.revoke_here();
  entry.me.rank->job.failures()->revoke(found->shared->context);
  return MPI_SUCCESS;
}

int MPIX_Comm_is_revoked(MPI_Comm comm, int* flag) {
  const Entry entry("MPIX_Comm_is_revoked");
  int error = MPI_SUCCESS;
  if (const Communicator* const found = checked_comm(entry, comm, flag, "flag", error)) {
    *flag = found->shared->failures.is_revoked() ? 1 : 0;
  }
  return error;
}

int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm* newcomm) {
  const Entry entry("MPIX_Comm_shrink");
  int error = MPI_SUCCESS;
  Communicator* const found = checked_to_agree(entry, comm, newcomm, "newcomm", error);
  return found == nullptr ? error : agree_blocking(entry, *found, ~0U, [&](auto& shrink) { shrink.newcomm = newcomm; });
}

int MPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  const Entry entry("MPIX_Comm_ishrink");
  int error = MPI_SUCCESS;
  Communicator* const found = checked_to_agree(entry, comm, newcomm, "newcomm", error);
  return found == nullptr
             ? error
             : agree_nonblocking(entry, *found, ~0U, request, [&](auto& shrink) { shrink.newcomm = newcomm; });
}

int MPIX_Comm_agree(MPI_Comm comm, int* flag) {
  const Entry entry("MPIX_Comm_agree");
  int error = MPI_SUCCESS;
  Communicator* const found = checked_to_agree(entry, comm, flag, "flag", error);
  return found == nullptr ? error
                          : agree_blocking(entry, *found, std::bit_cast<std::uint32_t>(*flag),
                                           [&](auto& agree) { agree.flag = flag; });
}

int MPIX_Comm_iagree(MPI_Comm comm, int* flag, MPI_Request* request) {
  const Entry entry("MPIX_Comm_iagree");
  int error = MPI_SUCCESS;
  Communicator* const found = checked_to_agree(entry, comm, flag, "flag", error);
  return found == nullptr ? error
                          : agree_nonblocking(entry, *found, std::bit_cast<std::uint32_t>(*flag), request,
                                              [&](auto& agree) { agree.flag = flag; });
}

int MPIX_Comm_get_failed(MPI_Comm comm, MPI_Group* failedgrp) {
  const Entry entry("MPIX_Comm_get_failed");
  int error = MPI_SUCCESS;
  const Communicator* const found = checked_comm(entry, comm, failedgrp, "failedgrp", error);
  return found == nullptr ? error : get_group(entry, *found, SIZE_MAX, failedgrp);
}

int MPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int* num_acked) {
  const Entry entry("MPIX_Comm_ack_failed");
  int error = MPI_SUCCESS;
  Communicator* const found = checked_comm(entry, comm, num_acked, "num_acked", error);
  if (found == nullptr) {
    return error;
  }
  const auto failed = static_cast<std::uint32_t>(failed_members(entry.me, *found).size());
  found->acknowledged =
      std::max(found->acknowledged, std::min(static_cast<std::uint32_t>(std::max(num_to_ack, 0)), failed));
  *num_acked = static_cast<int>(found->acknowledged);
  return MPI_SUCCESS;
}

int MPIX_Comm_failure_ack(MPI_Comm comm) {
  const Entry entry("MPIX_Comm_failure_ack");
  Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr) {
    return entry.bad_comm(comm);
  }
  found->acknowledged = static_cast<std::uint32_t>(failed_members(entry.me, *found).size());
  return MPI_SUCCESS;
}

int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group* failedgrp) {
  const Entry entry("MPIX_Comm_failure_get_acked");
  int error = MPI_SUCCESS;
  const Communicator* const found = checked_comm(entry, comm, failedgrp, "failedgrp", error);
  return found == nullptr ? error : get_group(entry, *found, found->acknowledged, failedgrp);
}
}
