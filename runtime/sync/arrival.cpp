#include "runtime/sync/arrival.hpp"

#include "runtime/sched/worker.hpp"
#include "runtime/sync/team.hpp"

namespace weft::runtime {
inline namespace sync {

void leave_worker(Worker& here, Member& rank) {
  for (Team* const team : rank.teams) {
    team->uncount_member_on(here);
  }
}

void arrive_at_worker(Worker& here, Member& rank) {
  rank.worker_number = number(here.id());
  // Pairs with the acquire in start_send() and wherever else a rank's worker is read: a sender sees the state that the
  // rank had when it came here.
  rank.worker.store(&here, std::memory_order_release);
  resume_at_worker(here, rank);
}

void resume_at_worker(Worker& here, Member& rank) {
  for (Team* const team : rank.teams) {
    team->count_member_on(here);
  }
  if (rank.threads_allowed) {
    here.threads().ensure_lock();
  }
  here.make_ready(rank);
}

}  // namespace sync
}  // namespace weft::runtime
