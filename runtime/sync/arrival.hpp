// What must be done for a rank's teams when the rank changes its worker. A team counts its members on each worker; by
// that number a worker knows when its last member has arrived at a barrier.
#pragma once

#include "runtime/sync/member.hpp"

namespace weft::runtime {
inline namespace sync {

// On the thread of `here`, which the rank is about to leave: it no longer counts among the members there.
void leave_worker(Worker& here, Member& rank);
// On the thread of `here`, to which the rank has come: stores its location, counts it among the members there and makes
// it ready.
void arrive_at_worker(Worker& here, Member& rank);
// The same where the location is stored already.
void resume_at_worker(Worker& here, Member& rank);

}  // namespace sync
}  // namespace weft::runtime
