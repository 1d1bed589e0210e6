#include "runtime/sync/arrival.hpp"

#include "runtime/sched/worker.hpp"
#include "runtime/sync/team.hpp"

namespace weft::runtime {
inline namespace sync {

void leave_worker(Worker& here, Member& rank) {
  for (Team* const team : rank.teams) {
    team->leaves(here);
  }
}

void arrive_at_worker(Worker& here, Member& rank) {
  rank.worker_number = number(here.id());
  // Pairs with the acquire in start_send() and wherever else a rank's worker is asked for: what the rank had become
  // before it came here is visible to who sends to it.
  rank.worker.store(&here, std::memory_order_release);
  go_on_at_worker(here, rank);
}

void go_on_at_worker(Worker& here, Member& rank) {
  for (Team* const team : rank.teams) {
    team->joins(here);
  }
  if (rank.threads_allowed) {
    here.threads().share();
  }
  here.make_ready(rank);
}

}  // namespace sync
}  // namespace weft::runtime
