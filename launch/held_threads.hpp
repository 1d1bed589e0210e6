// Stops threads that run ranks, so that another thread can look at the ranks' stacks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "launch/frame_walk.hpp"
#include "runtime/sched/worker_threads.hpp"

namespace weft::launch {

struct HeldThread {
  StoppedRegisters registers;                     // where it was
  const runtime::WorkerThreads* owner = nullptr;  // whose thread it is
  int thread = 0;                                 // as the system knows it
  std::atomic<bool> is_described = false;
};

// While it lives those of the threads that came in time stay where they are. A thread may be stopped in the middle of
// anything: who holds takes no lock that it could have, allocates no memory and prints nothing. One at a time in a
// process. How is hold_protocol.hpp.
class HeldThreads {
 public:
  // The memory that a hold of so many threads needs; once in a process, before the first hold.
  static void prepare(std::size_t most_threads);

  // Waits for those that are asked, but not beyond the limit.
  HeldThreads(std::span<const int> threads, std::chrono::milliseconds limit);
  ~HeldThreads();
  HeldThreads(const HeldThreads&) = delete;
  HeldThreads& operator=(const HeldThreads&) = delete;

  std::span<const HeldThread> all() const { return all_; }
  // How many of a worker's threads there are among them.
  std::size_t number_of(const runtime::WorkerThreads& owner) const;

 private:
  std::span<const HeldThread> all_;
};

// Where a thread of this process is, as the system has it.
struct ThreadPlace {
  enum class State : std::uint8_t { runs, sleeps, unknown };
  State state = State::unknown;
  long call = -1;                   // the system call that it sleeps in; -1: none, or unknown
  bool has_limit = false;           // of a futex: it sleeps for so long at most
  std::uint64_t stack_pointer = 0;  // where it sleeps; 0: unknown
};
ThreadPlace thread_place(int thread);

// Whether a signal's handler disturbs nothing there: the thread runs, or is in a call that the system takes up again.
bool may_be_interrupted(const ThreadPlace& place);

}  // namespace weft::launch
