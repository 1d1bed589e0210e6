// Calls by the threads that a rank starts, and by ranks that may have such threads (docs/decisions/017-threads.md).
#pragma once

#include <atomic>

namespace weft::runtime {
inline namespace sched {

class RankContext;
class Worker;

// Threads of the running rank may call from now on; in one of its calls. Every call then begins with resume_call() or
// begin_call() where Worker::current() is null, and ends with leave_call() where threads share the worker.
void allow_threads(RankContext& me);

// The process's: OpenMP's omp_get_level(), which says in how many parallel regions the calling thread is; null until a
// program that uses OpenMP has been loaded.
inline std::atomic<int (*)()> parallel_regions = nullptr;

// For keep_thread_in_region(), where there is OpenMP.
bool keep_thread_where(int (*regions)(), Worker& here);

// Before the running rank waits or gives way to others: in a parallel region it is treated as if its threads called,
// since another rank that ran on its thread would break the region. Whether that is so from now on.
inline bool keep_thread_in_region(Worker& here) {
  const auto regions = parallel_regions.load(std::memory_order_relaxed);
  return regions != nullptr && keep_thread_where(regions, here);
}

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
