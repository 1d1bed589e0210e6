// MPI_Test and its like. A test of a request that is not done lets other ranks run, so that programs that spin on it
// make progress.
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/request/request_set.hpp"
#include "mpi_shim/request/status.hpp"

using namespace weft::mpi_shim;

namespace {

int nothing_to_test(int* flag, MPI_Status* status) {
  *flag = 1;
  if (status != MPI_STATUS_IGNORE) {
    fill_empty_status(*status);
  }
  return MPI_SUCCESS;
}

bool done_after_progress(RankState& me, PendingRequest& request) {
  if (!request.done()) {
    make_progress(me);
  }
  return request.done();
}

}  // namespace

extern "C" {

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const Entry entry("MPI_Test");
  const OneRequest one(entry, request);
  if (!one.active()) {
    return one.error != MPI_SUCCESS ? one.error : nothing_to_test(flag, status);
  }
  *flag = done_after_progress(entry.me, *one.request) ? 1 : 0;
  return *flag == 0 ? MPI_SUCCESS : complete_and_report(entry, *one.request, *request, status);
}

int PMPI_Testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status* array_of_statuses) {
  const Entry entry("MPI_Testall");
  RequestSet set(entry, count, array_of_requests);
  if (set.error() != MPI_SUCCESS) {
    return set.error();
  }
  if (!set.all_done()) {
    make_progress(entry.me);
    set.recount();
  }
  *flag = set.all_done() ? 1 : 0;
  return *flag == 0 ? MPI_SUCCESS : complete_all(entry, set, array_of_requests, array_of_statuses);
}

int PMPI_Testany(int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  const Entry entry("MPI_Testany");
  RequestSet set(entry, count, array_of_requests);
  if (set.error() != MPI_SUCCESS) {
    return set.error();
  }
  *indx = MPI_UNDEFINED;
  if (set.none_active()) {
    return nothing_to_test(flag, status);
  }
  if (!set.any_done()) {
    make_progress(entry.me);
    set.recount();
  }
  *flag = set.any_done() ? 1 : 0;
  return *flag == 0 ? MPI_SUCCESS : complete_any(entry, set, array_of_requests, indx, status);
}

int PMPI_Testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                  MPI_Status* array_of_statuses) {
  const Entry entry("MPI_Testsome");
  RequestSet set(entry, incount, array_of_requests);
  if (set.error() != MPI_SUCCESS) {
    return set.error();
  }
  if (set.none_active()) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  if (!set.any_done()) {
    make_progress(entry.me);
    set.recount();
  }
  return complete_some(entry, set, array_of_requests, {outcount, array_of_indices, array_of_statuses});
}
}
