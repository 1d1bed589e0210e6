// weftrun --tune: the job measures every algorithm of every collective call, in its own shape.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi_shim/coll/tuning/choice_table.hpp"
#include "runtime/job/job.hpp"

namespace weft::mpi_shim {
inline namespace coll {

struct TunerOptions {
  // Bytes, ascending and multiples of a double's.
  std::vector<std::uint64_t> sizes{8, 32, 128, 512, 2048, 8192, 32768, 131072, 524288, 1048576};
  double batch_seconds = 1e-3;  // an algorithm's turn
  int rounds = 7;               // of turns, of which the median counts
  double most_seconds = 0.25;   // larger sizes than one that takes so long are left out
  bool quiet = false;           // says nothing of how far it is
};

// While it lives the process's calls choose what it asks for, and not by a table.
class Tuner {
 public:
  // For a job of so many ranks.
  Tuner(TunerOptions options, std::uint32_t ranks);
  ~Tuner();
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  // The program of every rank, with MPI_Init and MPI_Finalize.
  void run(runtime::Rank& me);
  // What it found; once the job is over, in the process where rank 0 was.
  const std::vector<MeasuredChoices>& found() const { return found_; }

 private:
  const TunerOptions options_;
  std::vector<ChoiceProbe> probes_;     // by rank; each touched by its rank alone
  std::vector<MeasuredChoices> found_;  // rank 0's
};

// `found` in the place of what `known` has of the same places.
std::vector<MeasuredChoices> merged(std::vector<MeasuredChoices> known, const std::vector<MeasuredChoices>& found);

}  // namespace coll
}  // namespace weft::mpi_shim
