// Non-blocking and persistent collective calls: what the entry points of MPI_I<collective> and MPI_<Collective>_init
// share.
#pragma once

#include "mpi_shim/coll/schedule/schedule_builder.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// One call. It records the schedule; that of a non-blocking call also begins to be executed.
class CallWithRequest {
 public:
  CallWithRequest(const char* call, MPI_Request* request) : entry(call), request_(request) {}
  CallWithRequest(const char* call, MPI_Info info, MPI_Request* request)
      : entry(call), request_(request), info_(info), persistent_(true) {}

  // Checks the arguments that all these calls have. MPI_SUCCESS or the error raised.
  int check(MPI_Comm comm) const;
  // Records `steps`, a function that takes a CollectiveSteps&, and sets the call's request. Returns MPI_SUCCESS.
  template <typename Steps>
  int schedule(Communicator& comm, Steps&& steps) const {
    ScheduleBuilder builder(entry.me, comm);
    steps(builder);
    return finish(comm, builder);
  }

  // Sets the call's request to an operation that has begun. Returns MPI_SUCCESS.
  int finish(const Communicator& comm, std::unique_ptr<Operation> operation) const;
  bool persistent() const { return persistent_; }

  const Entry entry;

 private:
  int finish(const Communicator& comm, ScheduleBuilder& builder) const;

  MPI_Request* const request_;
  const MPI_Info info_ = MPI_INFO_NULL;
  const bool persistent_ = false;
};

}  // namespace coll
}  // namespace weft::mpi_shim
