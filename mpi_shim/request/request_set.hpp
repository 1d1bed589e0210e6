// The requests of a call that takes an array of them.
#pragma once

#include <algorithm>

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/request/small_array.hpp"

namespace weft::mpi_shim {
inline namespace request {

// Entries are null for MPI_REQUEST_NULL and for inactive persistent requests, which such calls ignore.
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
          repost_receive(entry.me, request->message);
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
  bool has_waiter() {
    return std::any_of(span().begin(), span().end(),
                       [](auto* request) { return request != nullptr && request->message.waiter != nullptr; });
  }
  // Counts anew how many requests are done. Called after progress.
  void recount() {
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

// The request of a call that takes one.
struct OneRequest {
  OneRequest(const Entry& entry, const MPI_Request* handle) {
    if (handle == nullptr) [[unlikely]] {
      error = entry.null_argument(MPI_COMM_NULL, "request");
    } else if (*handle != MPI_REQUEST_NULL) {
      request = entry.me.requests.find(*handle);
      if (request == nullptr) [[unlikely]] {
        error = entry.raise(MPI_COMM_NULL, MPI_ERR_REQUEST, "the request is not one of this rank");
      } else if (request->message.failure == runtime::Failure::any_source) [[unlikely]] {
        repost_receive(entry.me, request->message);
      }
    }
  }
  bool active() const { return request != nullptr && request->active; }

  PendingRequest* request = nullptr;  // null for MPI_REQUEST_NULL
  int error = MPI_SUCCESS;
};

// The error of a call that would wait for a request for which another thread waits.
inline int refuse_second_wait(const Entry& entry) {
  return entry.raise(MPI_COMM_NULL, MPI_ERR_REQUEST, "another thread of the rank waits for the request");
}

// complete_request(), and raises the request's error if it has one.
int complete_and_report(const Entry& entry, PendingRequest& request, MPI_Request& handle, MPI_Status* status);
// Completes all requests of the set. REQUIRES: all are done. Errors are in the statuses, with MPI_ERR_IN_STATUS as the
// result.
int complete_all(const Entry& entry, RequestSet& set, MPI_Request* handles, MPI_Status* statuses);
// The output arguments of MPI_Waitsome and MPI_Testsome.
struct DoneArrays {
  int* count;
  int* indices;
  MPI_Status* statuses;  // or MPI_STATUSES_IGNORE
};
// Completes the requests that are done, in the array's order. Their statuses fill the front of the array.
int complete_some(const Entry& entry, RequestSet& set, MPI_Request* handles, const DoneArrays& done);
// Completes the first request in the array that is done, as other implementations do, and stores its position in
// `index`. REQUIRES: one is done.
int complete_any(const Entry& entry, RequestSet& set, MPI_Request* handles, int* index, MPI_Status* status);

}  // namespace request
}  // namespace weft::mpi_shim
