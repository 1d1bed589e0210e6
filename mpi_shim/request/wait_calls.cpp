// MPI_Wait and its like.
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/request/request_set.hpp"
#include "mpi_shim/request/status.hpp"

using namespace weft::mpi_shim;

namespace {

int nothing_to_wait_for(MPI_Status* status) {
  if (status != MPI_STATUS_IGNORE) {
    fill_empty_status(*status);
  }
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Entry entry("MPI_Wait");
  const OneRequest one(entry, request);
  if (!one.active()) [[unlikely]] {
    return one.error != MPI_SUCCESS ? one.error : nothing_to_wait_for(status);
  }
  PendingRequest* const pending = one.request;
  if (!pending->done()) {
    if (pending->message.waiter != nullptr) [[unlikely]] {
      return refuse_second_wait(entry);
    }
    if (pending->operation) {
      wait_all_pending(entry.me, {&pending, 1});
    } else {
      wait_message(entry.me, pending->message);
    }
  }
  return complete_and_report(entry, *pending, *request, status);
}

int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses) {
  const Entry entry("MPI_Waitall");
  RequestSet set(entry, count, array_of_requests);
  if (set.error() != MPI_SUCCESS) {
    return set.error();
  }
  if (!set.all_done()) {
    if (entry.me.rank->threads_have_called && set.has_waiter()) [[unlikely]] {
      return refuse_second_wait(entry);
    }
    wait_all_pending(entry.me, set.span());
  }
  return complete_all(entry, set, array_of_requests, array_of_statuses);
}

int PMPI_Waitany(int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status) {
  const Entry entry("MPI_Waitany");
  RequestSet set(entry, count, array_of_requests);
  if (set.error() != MPI_SUCCESS) {
    return set.error();
  }
  if (set.none_active()) {
    *indx = MPI_UNDEFINED;
    return nothing_to_wait_for(status);
  }
  if (!set.any_done()) {
    if (entry.me.rank->threads_have_called && set.has_waiter()) [[unlikely]] {
      return refuse_second_wait(entry);
    }
    wait_any_pending(entry.me, set.span());
  }
  return complete_any(entry, set, array_of_requests, indx, status);
}

int PMPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                  MPI_Status* array_of_statuses) {
  const Entry entry("MPI_Waitsome");
  RequestSet set(entry, incount, array_of_requests);
  if (set.error() != MPI_SUCCESS) {
    return set.error();
  }
  if (set.none_active()) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  if (!set.any_done()) {
    if (entry.me.rank->threads_have_called && set.has_waiter()) [[unlikely]] {
      return refuse_second_wait(entry);
    }
    wait_any_pending(entry.me, set.span());
  }
  return complete_some(entry, set, array_of_requests, {outcount, array_of_indices, array_of_statuses});
}
}
