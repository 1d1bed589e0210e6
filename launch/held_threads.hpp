// Stops threads that run ranks, so that another thread can read the ranks' stacks.
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

// Written by the held thread before it sets is_described; read by the holder after that.
struct HeldThread {
  StoppedRegisters registers;                     // where it was interrupted
  const runtime::WorkerThreads* owner = nullptr;  // the threads of its worker
  int thread = 0;                                 // its number in the system (gettid)
  std::atomic<bool> is_described = false;
};

// While it lives, those of the threads that handle the signal within the limit stay where they are. A thread may be
// stopped in the middle of anything: meanwhile the holder takes no lock that a stopped thread could have, allocates no
// memory and prints nothing. One at a time in a process. The protocol is in hold_protocol.hpp.
class HeldThreads {
 public:
  // Allocates what a hold of so many threads needs; once in a process, before the first hold.
  static void prepare(std::size_t most_threads);

  // Signals the threads and waits for them, but not beyond the limit.
  HeldThreads(std::span<const int> threads, std::chrono::milliseconds limit);
  ~HeldThreads();
  HeldThreads(const HeldThreads&) = delete;
  HeldThreads& operator=(const HeldThreads&) = delete;

  std::span<const HeldThread> all() const { return all_; }
  // How many of them are threads of this worker.
  std::size_t number_of(const runtime::WorkerThreads& owner) const;

 private:
  std::span<const HeldThread> all_;
};

// What a thread of this process does, as the system sees it.
struct ThreadStatus {
  enum class State : std::uint8_t { runs, sleeps, unknown };
  State state = State::unknown;
  long call = -1;                   // the system call that it sleeps in; -1: none, or unknown
  bool has_limit = false;           // it waits for a futex with a timeout
  std::uint64_t stack_pointer = 0;  // of a thread that sleeps; 0: unknown
};
ThreadStatus read_thread_status(int thread);

// Whether a signal handler disturbs nothing: the thread runs, or is in a call that the system restarts.
bool may_be_interrupted(const ThreadStatus& status);

}  // namespace weft::launch
