#include "iterations/weft_iterations.h"

#include <memory>
#include <new>

#include "iterations/loop.hpp"
#include "iterations/survival.hpp"

struct weft_iterations {
  weft::iterations::Loop loop;
};

namespace weft::iterations {
namespace {

// Converts exceptions to error codes.
template <class Body>
int guarded(Body body) {
  try {
    return body();
  } catch (const ArgumentError&) {
    return WEFT_ITERATIONS_ERR_ARGUMENT;
  } catch (const MpiError&) {
    return WEFT_ITERATIONS_ERR_MPI;
  } catch (const std::bad_alloc&) {
    return WEFT_ITERATIONS_ERR_MEMORY;
  }
}

bool in_range(const weft_iterations_options& options) {
  // Written so that not-a-number fails.
  const bool times = options.report_seconds >= 0.001 && options.report_seconds <= 1e9 && options.max_deviation > 0 &&
                     options.max_deviation <= 1e9 && options.min_seconds <= 1e9 && options.lease_seconds >= 0 &&
                     options.lease_seconds <= 1e9;
  return times && options.min_seconds == options.min_seconds && options.group_size >= 0 && options.counts_length >= 0 &&
         options.sums_length >= 0 && (options.counts != nullptr || options.counts_length == 0) &&
         (options.sums != nullptr || options.sums_length == 0);
}

// Doubles count the iterations in the protocol; the number of all must be exact.
constexpr std::int64_t kMostIterations = std::int64_t{1} << 53;

using Handle = std::unique_ptr<weft_iterations>;

Handle make_handle(MPI_Comm own, std::int64_t total, const weft_iterations_options& options) {
  return Handle(new weft_iterations{{own, total, options, true}});
}

// Begins with the others so that they do not wait for this rank, and has them refuse.
Handle make_invalid_handle(MPI_Comm own) {
  return Handle(new weft_iterations{{own, 0, weft_iterations_options{}, false}});
}

int begin(MPI_Comm comm, std::int64_t total, const weft_iterations_options* given, weft_iterations** handle) {
  weft_iterations_options options;
  weft_iterations_default_options(&options);
  options = given != nullptr ? *given : options;
  const bool valid = handle != nullptr && total >= 0 && total <= kMostIterations && in_range(options);
  MPI_Comm own = MPI_COMM_NULL;
  const int made = MPI_Comm_dup(comm, &own);
  if (is_fault_tolerant(comm) &&
      !agree_on_success(comm, made == MPI_SUCCESS)) {  // else ranks with a duplicate would wait for the others
    if (made == MPI_SUCCESS) {
      MPI_Comm_free(&own);
    }
    return WEFT_ITERATIONS_ERR_MPI;
  }
  check_mpi(made);
  check_mpi(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN));
  Handle loop;
  try {
    loop = valid ? make_handle(own, total, options) : make_invalid_handle(own);
  } catch (const std::bad_alloc&) {  // copies of the tallies may be large
    loop = make_invalid_handle(own);
    guarded([&] {
      loop->loop.begin();
      return WEFT_ITERATIONS_OK;
    });
    return WEFT_ITERATIONS_ERR_MEMORY;
  }
  loop->loop.begin();
  *handle = loop.release();
  return WEFT_ITERATIONS_OK;
}

}  // namespace
}  // namespace weft::iterations

using weft::iterations::guarded;

int weft_iterations_default_options(weft_iterations_options* options) {
  if (options == nullptr) {
    return WEFT_ITERATIONS_ERR_ARGUMENT;
  }
  *options = {};
  options->report_seconds = 300;
  options->max_deviation = 0.1;
  options->min_seconds = -1;
  return WEFT_ITERATIONS_OK;
}

int weft_iterations_begin(MPI_Comm comm, int64_t total, const weft_iterations_options* options,
                          weft_iterations** handle) {
  if (handle != nullptr) {
    *handle = nullptr;
  }
  if (comm == MPI_COMM_NULL) {
    return WEFT_ITERATIONS_ERR_ARGUMENT;
  }
  return guarded([&] { return weft::iterations::begin(comm, total, options, handle); });
}

int weft_iterations_next(weft_iterations* handle, int64_t* first, int64_t* count) {
  if (handle == nullptr || first == nullptr || count == nullptr) {
    return WEFT_ITERATIONS_ERR_ARGUMENT;
  }
  return guarded([&] {
    handle->loop.next(*first, *count);
    return WEFT_ITERATIONS_OK;
  });
}

int weft_iterations_report(weft_iterations* handle, int64_t done) {
  return handle == nullptr ? WEFT_ITERATIONS_ERR_ARGUMENT : guarded([&] { return handle->loop.report(done); });
}

int weft_iterations_predict(weft_iterations* handle, double* seconds_left, double* finish_spread) {
  if (handle == nullptr || seconds_left == nullptr || finish_spread == nullptr) {
    return WEFT_ITERATIONS_ERR_ARGUMENT;
  }
  return guarded([&] { return handle->loop.predict(*seconds_left, *finish_spread); });
}

int weft_iterations_end(weft_iterations** handle, weft_iterations_stats* stats) {
  if (handle == nullptr || *handle == nullptr) {
    return WEFT_ITERATIONS_ERR_ARGUMENT;
  }
  weft_iterations_stats unused;
  const int code = guarded([&] { return (*handle)->loop.end(stats != nullptr ? *stats : unused); });
  if (code == WEFT_ITERATIONS_OK) {
    delete *handle;
    *handle = nullptr;
  }
  return code;
}

const char* weft_iterations_text(int code) {
  switch (code) {
    case WEFT_ITERATIONS_OK:
      return "no error";
    case WEFT_ITERATIONS_REVOKED:
      return "the lease no longer counts: leave it and call next";
    case WEFT_ITERATIONS_UNKNOWN:
      return "nothing can be predicted yet";
    case WEFT_ITERATIONS_ERR_ARGUMENT:
      return "an argument is out of range, ranks began with different values, or one of them has no memory";
    case WEFT_ITERATIONS_ERR_STATE:
      return "end was called before next had given a count of 0";
    case WEFT_ITERATIONS_ERR_MPI:
      return "an MPI call failed";
    case WEFT_ITERATIONS_ERR_MEMORY:
      return "there is no memory left";
    default:
      return "no code of weft_iterations";
  }
}

// For the Fortran module.
extern "C" int weft_iterations_begin_f(MPI_Fint comm, int64_t total, const weft_iterations_options* options,
                                       weft_iterations** handle);

int weft_iterations_begin_f(MPI_Fint comm, int64_t total, const weft_iterations_options* options,
                            weft_iterations** handle) {
  return weft_iterations_begin(MPI_Comm_f2c(comm), total, options, handle);
}
