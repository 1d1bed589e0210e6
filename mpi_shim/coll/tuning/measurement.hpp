// One rank's part in measuring collective calls. All ranks of the job call its functions in the same order.
#pragma once

#include <vector>

#include "mpi_shim/coll/tuning/tuner.hpp"

namespace weft::mpi_shim {
inline namespace coll {

class Measurement {
 public:
  Measurement(const TunerOptions& options, ChoiceProbe& probe) : options_(options), probe_(probe) {}

  // Whether the communicator that rank 0 of the job passes has several members; all ranks get this answer.
  bool is_group(MPI_Comm comm) const;
  // Measures all algorithms of the call, in turns. Ranks may pass different communicators, which are measured at the
  // same time. Rank 0 gets a row for each size, or nothing if there is only one algorithm.
  std::vector<MeasuredChoices::Row> measure(MPI_Comm comm, CallForm form, Collective call);

 private:
  struct Work;
  struct Plan {
    int calls = 1;  // in a turn
    Algorithms possible = 0;
  };

  // Rank 0's plan, broadcast to all.
  Plan plan(Work& work);
  double time_of(Work& work, int calls);  // seconds for a call, as this rank sees it
  MeasuredChoices::Row compare(Work& work, const Plan& plan);

  const TunerOptions& options_;
  ChoiceProbe& probe_;
  double longest_ = 0;  // seconds of a call at the last size, by the built-in algorithm, as rank 0 measured it
  Algorithm built_in_ = Algorithm::in_memory;
};

}  // namespace coll
}  // namespace weft::mpi_shim
