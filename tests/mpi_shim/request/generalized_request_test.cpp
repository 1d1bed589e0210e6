// Generalized requests: when their callbacks are called, and what the callbacks' errors cause.
#include <gtest/gtest.h>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using GeneralizedRequestTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, GeneralizedRequestTest, kSettings, name_of);

// How often each callback of a generalized request was called.
struct Calls {
  int queries = 0;
  int frees = 0;
  int cancels = 0;
};

int query_fn(void* extra_state, MPI_Status* status) {
  ++static_cast<Calls*>(extra_state)->queries;
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 5;
  return MPI_SUCCESS;
}
int free_fn(void* extra_state) {
  ++static_cast<Calls*>(extra_state)->frees;
  return MPI_SUCCESS;
}
int cancel_fn(void* extra_state, int complete) {
  static_cast<Calls*>(extra_state)->cancels += complete == 0 ? 1 : 100;
  return MPI_SUCCESS;
}

TEST_P(GeneralizedRequestTest, GeneralizedRequestEndsWhenTheProgramSaysSo) {
  run(2, [](int, int) {
    Calls calls;
    MPI_Request request;
    MPI_Grequest_start(query_fn, free_fn, cancel_fn, &calls, &request);
    int flag = 1;
    MPI_Status status;
    MPI_Test(&request, &flag, &status);
    EXPECT_EQ(flag, 0);
    MPI_Cancel(&request);
    EXPECT_EQ(calls.cancels, 1);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(status.MPI_SOURCE, 5);
    int count = 0;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 3);
    EXPECT_EQ(calls.queries, 1);
    EXPECT_EQ(calls.frees, 1);
    MPI_Grequest_start(query_fn, free_fn, cancel_fn, &calls, &request);
    MPI_Request kept = request;
    MPI_Request_free(&request);
    EXPECT_EQ(calls.frees, 1);
    MPI_Grequest_complete(kept);
    EXPECT_EQ(calls.frees, 2);
  });
}

// Its free function completes another request, which has been freed too.
struct First {
  Calls calls;
  MPI_Request other = MPI_REQUEST_NULL;
};
int completing_free(void* extra_state) {
  auto& first = *static_cast<First*>(extra_state);
  ++first.calls.frees;
  return MPI_Grequest_complete(first.other);
}

TEST_P(GeneralizedRequestTest, AFreeFunctionMayEndAnotherFreedRequest) {
  run(2, [](int, int) {
    First first;
    Calls other;
    MPI_Request requests[2];
    MPI_Grequest_start(query_fn, completing_free, cancel_fn, &first, &requests[0]);
    MPI_Grequest_start(query_fn, free_fn, cancel_fn, &other, &requests[1]);
    const MPI_Request kept = requests[0];
    first.other = requests[1];
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Grequest_complete(kept);
    EXPECT_EQ(first.calls.frees, 1);
    EXPECT_EQ(other.frees, 1);
    for (MPI_Request& request : requests) {
      MPI_Grequest_start(query_fn, free_fn, cancel_fn, &other, &request);
    }
    EXPECT_NE(requests[0], requests[1]) << "one place in the table for two requests";
    for (MPI_Request& request : requests) {
      MPI_Grequest_complete(request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  });
}

int failing_query(void*, MPI_Status*) { return MPI_ERR_BUFFER; }
int failing_free(void* extra_state) {
  free_fn(extra_state);
  return MPI_ERR_COUNT;
}
int failing_cancel(void*, int) { return MPI_ERR_TAG; }

TEST_P(GeneralizedRequestTest, ErrorsOfAGeneralizedRequestsFunctionsComeOut) {
  run(2, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    Calls calls;
    const auto finished = [&](MPI_Grequest_query_function* query, MPI_Grequest_free_function* release) {
      MPI_Request request;
      MPI_Grequest_start(query, release, failing_cancel, &calls, &request);
      EXPECT_EQ(MPI_Cancel(&request), MPI_ERR_TAG);
      MPI_Grequest_complete(request);
      return request;
    };
    MPI_Request request = finished(failing_query, free_fn);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
    request = finished(query_fn, failing_free);
    int flag = 0;
    EXPECT_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    request = finished(query_fn, failing_free);
    EXPECT_EQ(MPI_Request_free(&request), MPI_ERR_COUNT);
    EXPECT_EQ(calls.frees, 3);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
