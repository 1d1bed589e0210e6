// How a rank leaves a worker of its process and comes to another: what its teams count follows it.
#pragma once

#include "runtime/sync/member.hpp"

namespace weft::runtime {
inline namespace sync {

// The rank is about to leave this worker, on its thread: the worker's share of its teams is smaller from now on.
void leave_worker(Worker& here, Member& rank);
// The rank has come to this worker, on its thread, by whatever way: it counts there, and is ready.
void arrive_at_worker(Worker& here, Member& rank);
// The same where its location says so already.
void go_on_at_worker(Worker& here, Member& rank);

}  // namespace sync
}  // namespace weft::runtime
