// What a rank's change of its worker means for its teams: each counts its members on every worker, and a barrier
// decides by these numbers when a worker reports its arrivals.
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
