#include "mpi_shim/request/request_set.hpp"

#include "mpi_shim/error/error_codes.hpp"
#include "mpi_shim/request/completion.hpp"
#include "mpi_shim/request/status.hpp"

namespace weft::mpi_shim {
inline namespace request {

namespace {

[[gnu::noinline, gnu::cold]] int report(const Entry& entry, MPI_Comm comm, int error) {
  if (error == MPI_ERR_TRUNCATE) {
    return entry.raise(comm, error, "a message was longer than its receive's buffer");
  }
  const char* const known = error_text(error);
  return entry.raise(comm, error, "the operation of a request failed: {}",
                     known != nullptr ? known : "an error of the program's own");
}

// The errors of a call that completes several requests.
class RequestErrors {
 public:
  // Records the error code of request i.
  void note(int error, MPI_Comm comm, std::size_t i) {
    if (error != MPI_SUCCESS && count_++ == 0) {
      comm_ = comm;
      first_ = i;
    }
  }
  bool none() const { return count_ == 0; }
  int report(const Entry& entry) const {
    return entry.raise(comm_, MPI_ERR_IN_STATUS, "{} of the requests failed, the first is array_of_requests[{}]",
                       count_, first_);
  }

 private:
  std::size_t count_ = 0;
  std::size_t first_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// Whether the request is still to be completed. If the array has it twice, it has been completed when its second place
// is reached; then `handle` is set as for the first.
bool is_open(const PendingRequest* request, MPI_Request& handle) {
  if (request == nullptr || request->active) [[likely]] {
    return request != nullptr;
  }
  handle = request->persistent ? handle : MPI_REQUEST_NULL;
  return false;
}

}  // namespace

int complete_and_report(const Entry& entry, PendingRequest& request, MPI_Request& handle, MPI_Status* status) {
  const MPI_Comm comm = request.comm;
  const int error = complete_request(entry.me, request, handle, status);
  return error == MPI_SUCCESS ? MPI_SUCCESS : report(entry, comm, error);
}

int complete_all(const Entry& entry, RequestSet& set, MPI_Request* handles, MPI_Status* statuses) {
  RequestErrors failures;
  SmallArray<int> errors(set.size());
  for (std::size_t i = 0; i < set.size(); ++i) {
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
    errors[i] = MPI_SUCCESS;
    if (!is_open(set[i], handles[i])) {
      if (status != MPI_STATUS_IGNORE) {
        fill_empty_status(*status);
      }
      continue;
    }
    const MPI_Comm comm = set[i]->comm;
    errors[i] = complete_request(entry.me, *set[i], handles[i], status);
    failures.note(errors[i], comm, i);
  }
  if (failures.none()) [[likely]] {
    return MPI_SUCCESS;
  }
  for (std::size_t i = 0; statuses != MPI_STATUSES_IGNORE && i < set.size(); ++i) {
    statuses[i].MPI_ERROR = errors[i];
  }
  return failures.report(entry);
}

int complete_some(const Entry& entry, RequestSet& set, MPI_Request* handles, const DoneArrays& done) {
  MPI_Status* const statuses = done.statuses;
  RequestErrors failures;
  SmallArray<int> errors(set.size());
  std::size_t out = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!is_open(set[i], handles[i]) || !set[i]->done()) {
      continue;
    }
    const MPI_Comm comm = set[i]->comm;
    errors[out] =
        complete_request(entry.me, *set[i], handles[i], statuses == MPI_STATUSES_IGNORE ? nullptr : &statuses[out]);
    failures.note(errors[out], comm, i);
    done.indices[out++] = static_cast<int>(i);
  }
  *done.count = static_cast<int>(out);
  if (failures.none()) [[likely]] {
    return MPI_SUCCESS;
  }
  for (std::size_t i = 0; statuses != MPI_STATUSES_IGNORE && i < out; ++i) {
    statuses[i].MPI_ERROR = errors[i];
  }
  return failures.report(entry);
}

int complete_any(const Entry& entry, RequestSet& set, MPI_Request* handles, int* index, MPI_Status* status) {
  std::size_t i = 0;
  while (set[i] == nullptr || !set[i]->done()) {
    ++i;
  }
  *index = static_cast<int>(i);
  return complete_and_report(entry, *set[i], handles[i], status);
}

}  // namespace request
}  // namespace weft::mpi_shim
