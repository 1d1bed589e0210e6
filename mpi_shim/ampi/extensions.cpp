// The functions that Weft adds to MPI: weft.h.
#include "mpi_shim/ampi/migration.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/request/progress.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/worker.hpp"
#include "weft.h"

namespace {

using weft::mpi_shim::Entry;

}  // namespace

extern "C" {

int PMPI_Migrate() {
  const Entry entry("MPI_Migrate");
  if (entry.me.callbacks != 0) {
    return refuse_in_callback(entry);
  }
  weft::runtime::Rank& rank = *entry.me.rank;
  complete_collectives(entry.me);
  rank.job.migrate(rank);  // from here on entry.me may be gone: the state moves with the rank
  return MPI_SUCCESS;
}

int weft_worker() {
  const Entry entry("weft_worker");
  const weft::runtime::Rank& rank = *entry.me.rank;
  return static_cast<int>(rank.job.global_number(*rank.worker.load(std::memory_order_relaxed)));
}

int weft_worker_count() {
  const Entry entry("weft_worker_count");
  return static_cast<int>(entry.me.rank->job.total_workers());
}

double weft_rank_load() {
  const Entry entry("weft_rank_load");
  const weft::runtime::Load& load = entry.me.rank->load;
  return static_cast<double>(load.counted()) / weft::runtime::ticks_per_second();
}

int weft_ranks_are_balanced() {
  const Entry entry("weft_ranks_are_balanced");
  const weft::runtime::JobConfig& config = entry.me.rank->job.config();
  return config.lb != "none" || config.lb_continuous ? 1 : 0;
}

void weft_note_prediction(double seconds_left, double finish_spread) {
  const Entry entry("weft_note_prediction");
  entry.me.rank->job.note_prediction(seconds_left, finish_spread);
}
}
