// Calls by threads that a rank starts, and by ranks that may have such threads (docs/decisions/017-threads.md).
#pragma once

#include <atomic>

namespace weft::runtime {
inline namespace sched {

class RankContext;
class Worker;

// Lets threads of the running rank make calls from now on; to be called in a call of the rank. Every call must then
// begin with resume_call() or begin_call() where Worker::current() is null, and end with leave_call() where threads
// share the worker.
void allow_threads(RankContext& me);

// OpenMP's omp_get_level(), which returns in how many parallel regions the calling thread is; null until the process
// has loaded a program that uses OpenMP.
inline std::atomic<int (*)()> parallel_regions = nullptr;

// The part of keep_thread_in_region() that is needed where there is OpenMP.
bool keep_thread_where(int (*regions)(), Worker& here);

// To be called before the running rank waits or yields. In a parallel region the rank is treated as if its threads made
// calls, since another rank that ran on its thread would break the region. Returns whether that begins now.
inline bool keep_thread_in_region(Worker& here) {
  const auto regions = parallel_regions.load(std::memory_order_relaxed);
  return regions != nullptr && keep_thread_where(regions, here);
}

// Notes that this rank has started the calling thread.
void set_thread_owner(RankContext& rank);
// The rank that has started the calling thread, or null.
RankContext* thread_owner();

// Makes is_forked_child() true in every process that fork() makes from now on. forked_by() then is the rank that has
// called fork(), or null where a thread of Weft's own has. The child's thread belongs to no rank.
void watch_forks();
bool is_forked_child();
RankContext* forked_by();

// For a thread that runs a rank's fibre, which has left a call: takes the worker lock again. False for all other
// threads, and for one that has the worker already.
bool resume_call();
// For a thread of a rank that allows threads: waits for the worker lock. Then Worker::current() runs that rank.
void begin_call(RankContext& rank);
void leave_call();

// Whether the running call is made by a thread of the rank.
bool is_thread_call();

}  // namespace sched
}  // namespace weft::runtime
