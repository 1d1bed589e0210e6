// Calls by the threads that a rank starts, and by ranks that may have such threads (docs/decisions/017-threads.md).
#pragma once

namespace weft::runtime {
inline namespace sched {

class RankContext;

// Threads of the running rank may call from now on; in one of its calls. One that has threads, or uses OpenMP, is
// treated as if they called already. Every call then begins with resume_call() or begin_call() where Worker::current()
// is null, and ends with leave_call() where threads share the worker.
void allow_threads(RankContext& me);

// The calling thread is one that this rank has started.
void adopt_thread(RankContext& rank);
// The rank that has adopted the calling thread, or null.
RankContext* adopter();

// From here on, in every process that is made by fork(): forked_by() is the rank that has done so, or null where a
// thread of Weft's own has. The child's thread is no rank's.
void watch_forks();
bool is_forked_child();
RankContext* forked_by();

// For a thread that runs a rank's fibre, which has left a call: goes back to the worker. False for all other threads,
// and those that have the worker already.
bool resume_call();
// For a thread of a rank that allows threads: waits for its turn. Worker::current() runs that rank then.
void begin_call(RankContext& rank);
void leave_call();

// The running call is one of a thread of the rank.
bool is_thread_call();

}  // namespace sched
}  // namespace weft::runtime
