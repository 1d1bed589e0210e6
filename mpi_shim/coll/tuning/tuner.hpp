// weftrun --tune: the job measures all algorithms of all collective calls, with its own ranks, workers and processes.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi_shim/coll/tuning/choice_table.hpp"
#include "runtime/job/job.hpp"

namespace weft::mpi_shim {
inline namespace coll {

struct TunerOptions {
  // In bytes; ascending, and multiples of sizeof(double).
  std::vector<std::uint64_t> sizes{8, 32, 128, 512, 2048, 8192, 32768, 131072, 524288, 1048576};
  double batch_seconds = 1e-3;  // duration of an algorithm's turn
  int rounds = 7;               // turns of each algorithm; the median counts
  double most_seconds = 0.25;   // once a call takes longer than this, larger sizes are left out
  bool quiet = false;           // does not report progress
};

// While this object lives, the process's collective calls use the algorithms that it asks for, and no table.
class Tuner {
 public:
  // `ranks`: of the job.
  Tuner(TunerOptions options, std::uint32_t ranks);
  ~Tuner();
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  // Runs as the program of every rank, with MPI_Init and MPI_Finalize.
  void run(runtime::Rank& me);
  // The results. Call it after the job has ended, in the process where rank 0 was.
  const std::vector<MeasuredChoices>& found() const { return found_; }

 private:
  const TunerOptions options_;
  std::vector<ChoiceProbe> probes_;     // by rank; each touched by its rank alone
  std::vector<MeasuredChoices> found_;  // rank 0's
};

// `known`, with `found` in place of its measurements with the same form, ranks, workers and processes.
std::vector<MeasuredChoices> merged(std::vector<MeasuredChoices> known, const std::vector<MeasuredChoices>& found);

}  // namespace coll
}  // namespace weft::mpi_shim
