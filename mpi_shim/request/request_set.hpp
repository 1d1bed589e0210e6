// The requests that a call on an array of them names.
#pragma once

#include <algorithm>

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/request/small_array.hpp"

namespace weft::mpi_shim {
inline namespace request {

// Entries are null for MPI_REQUEST_NULL and for inactive persistent requests, which count as not there.
class RequestSet {
 public:
  RequestSet(const Entry& entry, int count, const MPI_Request* handles)
      : requests_(count > 0 ? static_cast<std::size_t>(count) : 0) {
    if (count < 0) {
      error_ = entry.raise(MPI_COMM_NULL, MPI_ERR_COUNT, "count {} is negative", count);
      return;
    }
    if (handles == nullptr && count > 0) {
      error_ = entry.null_argument(MPI_COMM_NULL, "array_of_requests");
      return;
    }
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      PendingRequest* request = nullptr;
      if (handles[i] != MPI_REQUEST_NULL) {
        request = entry.me.requests.find(handles[i]);
        if (request == nullptr) [[unlikely]] {
          error_ =
              entry.raise(MPI_COMM_NULL, MPI_ERR_REQUEST, "array_of_requests[{}] is not a request of this rank", i);
          return;
        }
        request = request->active ? request : nullptr;
        if (request != nullptr && request->message.failure == runtime::Failure::any_source) [[unlikely]] {
          receive_again(entry.me, request->message);
        }
      }
      requests_[i] = request;
      active_ += request != nullptr ? 1 : 0;
      done_ += request != nullptr && request->done() ? 1 : 0;
    }
  }

  int error() const { return error_; }
  bool none_active() const { return active_ == 0; }
  bool all_done() const { return done_ == active_; }
  bool any_done() const { return done_ > 0; }
  // Whether another thread of the rank is in a call that waits for one of them.
  bool waited_for() {
    return std::any_of(span().begin(), span().end(),
                       [](auto* request) { return request != nullptr && request->message.waiter != nullptr; });
  }
  // Counts again, after something may have been completed.
  void look_again() {
    done_ = static_cast<std::size_t>(std::count_if(
        span().begin(), span().end(), [](auto* request) { return request != nullptr && request->done(); }));
  }

  std::size_t size() const { return requests_.size(); }
  PendingRequest* operator[](std::size_t i) { return requests_[i]; }
  std::span<PendingRequest*> span() { return requests_.span(); }

 private:
  SmallArray<PendingRequest*> requests_;
  std::size_t active_ = 0;
  std::size_t done_ = 0;
  int error_ = MPI_SUCCESS;
};

// The request that a call on one of them names.
struct OneRequest {
  OneRequest(const Entry& entry, const MPI_Request* handle) {
    if (handle == nullptr) [[unlikely]] {
      error = entry.null_argument(MPI_COMM_NULL, "request");
    } else if (*handle != MPI_REQUEST_NULL) {
      request = entry.me.requests.find(*handle);
      if (request == nullptr) [[unlikely]] {
        error = entry.raise(MPI_COMM_NULL, MPI_ERR_REQUEST, "the request is not one of this rank");
      } else if (request->message.failure == runtime::Failure::any_source) [[unlikely]] {
        receive_again(entry.me, request->message);
      }
    }
  }
  bool active() const { return request != nullptr && request->active; }

  PendingRequest* request = nullptr;  // null for MPI_REQUEST_NULL
  int error = MPI_SUCCESS;
};

// For calls that are about to wait.
inline int refuse_second_wait(const Entry& entry) {
  return entry.raise(MPI_COMM_NULL, MPI_ERR_REQUEST, "another thread of the rank waits for the request");
}

// conclude(), then the request's error handler when it has failed.
int conclude_and_report(const Entry& entry, PendingRequest& request, MPI_Request& handle, MPI_Status* status);
// Concludes all requests of the set, which are done. Failures are told in the statuses and by MPI_ERR_IN_STATUS.
int conclude_all(const Entry& entry, RequestSet& set, MPI_Request* handles, MPI_Status* statuses);
// Where MPI_Waitsome and MPI_Testsome say which requests were done.
struct DoneArrays {
  int* count;
  int* indices;
  MPI_Status* statuses;  // or MPI_STATUSES_IGNORE
};
// Concludes those that are done, in the array's order. The statuses are packed at the front.
int conclude_done(const Entry& entry, RequestSet& set, MPI_Request* handles, const DoneArrays& done);
// Concludes the first that is done and says its index, as programs expect that know other implementations.
int conclude_any(const Entry& entry, RequestSet& set, MPI_Request* handles, int* index, MPI_Status* status);

}  // namespace request
}  // namespace weft::mpi_shim
