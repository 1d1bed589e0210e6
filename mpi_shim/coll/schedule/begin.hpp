// What the entry points of MPI_I<collective> and MPI_<Collective>_init share.
#pragma once

#include "mpi_shim/coll/schedule/schedule_builder.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// One call. The steps are written down in it; those of MPI_I… also begin in it.
class Begin {
 public:
  Begin(const char* call, MPI_Request* request) : entry(call), request_(request) {}
  Begin(const char* call, MPI_Info info, MPI_Request* request)
      : entry(call), request_(request), info_(info), persistent_(true) {}

  // What is wrong with the arguments that all these calls have: the error raised, or MPI_SUCCESS.
  int check(MPI_Comm comm) const;
  // The request of a call whose steps a function that takes a CollectiveSteps& says.
  template <typename Steps>
  int operator()(Communicator& comm, Steps&& steps) const {
    ScheduleBuilder recorder(entry.me, comm);
    steps(recorder);
    return finish(comm, recorder);
  }

  // Puts an operation that has begun behind the request.
  int finish(const Communicator& comm, std::unique_ptr<Operation> operation) const;
  bool persistent() const { return persistent_; }

  const Entry entry;

 private:
  int finish(const Communicator& comm, ScheduleBuilder& recorder) const;

  MPI_Request* const request_;
  const MPI_Info info_ = MPI_INFO_NULL;
  const bool persistent_ = false;
};

}  // namespace coll
}  // namespace weft::mpi_shim
