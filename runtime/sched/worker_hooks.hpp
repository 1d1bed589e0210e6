// What a worker calls in the layers above it. The composition root (runtime/job) fills this in before the worker
// starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace weft::net {
struct Doorbell;
}

namespace weft::runtime {
inline namespace meter {
struct LoadClock;
}  // namespace meter

inline namespace timeline {
class Recorder;
}  // namespace timeline

inline namespace sched {

class RankContext;
class Worker;
struct ExecutionContext;

// For ranks whose own threads make calls. All are needed where a rank may allow that.
struct ThreadHooks {
  // Another thread of the worker has started and is going to run ranks.
  void (*begin)(Worker& here) = nullptr;
  // A thread of this rank makes its first call, or the rank waits in a parallel region of OpenMP: from now on it must
  // stay in its process, and calls in this process must begin and end as allow_threads() says.
  void (*first_call)(RankContext& rank) = nullptr;
  // A thread must wait for a balancing step before it can make its first call: no further step should begin.
  void (*request_disable)(RankContext& rank) = nullptr;
  // Whether a thread of a rank of this worker may still make a call although every rank waits: then it is no deadlock.
  bool (*may_call)(const Worker& here) = nullptr;
  // Another thread could not be started; does not return.
  void (*fail)(Worker& here, const std::string& why) = nullptr;
};

// Constant once the worker runs. Each may be null, unless it says otherwise: then nothing is called. All are called on
// the worker's thread.
struct WorkerHooks {
  // Lets messages from other processes arrive: called between two ranks, and repeatedly while the worker is idle.
  void (*poll)(Worker& here) = nullptr;
  // Called between two ranks, once the inbox is empty: may take ranks out of the ready queue.
  void (*scheduling_point)(Worker& here) = nullptr;
  // `left` has stopped, `next` is about to run, and others are ready. The stack of `left` is still in use.
  void (*before_switch)(Worker& here, const ExecutionContext& next, const ExecutionContext& left) = nullptr;
  // The rank has run from one time to the other, in ticks.
  void (*charged)(Worker& here, RankContext& rank, std::uint64_t from, std::uint64_t to) = nullptr;

  // Called before the inbox is emptied, where Worker::exposes() is true.
  void (*withdraw_exposed)(Worker& here) = nullptr;
  // A rank of this worker gets its mail by its own queue although it has not changed its worker for long. Needed where
  // ranks may change their worker at any time.
  void (*close_mail_queue)(Worker& here, RankContext& rank) = nullptr;

  // Called repeatedly while nothing is ready. `long_idle`: nothing has been for some time, or the worker is about to
  // sleep. True when it has made something ready.
  bool (*on_idle)(Worker& here, bool long_idle) = nullptr;
  // While nothing is ready: whether another thread of the process has work to do, so that the worker should sleep
  // instead of polling.
  bool (*core_is_wanted)(Worker& here) = nullptr;
  // Called when the worker stops being idle.
  void (*idle_over)(Worker& here) = nullptr;
  // Called repeatedly while nothing is ready and the worker spins on a core of its own: may do work that others wait
  // for.
  void (*help)(Worker& here) = nullptr;
  // False when poll() would let something arrive. The sleep has been announced at the doorbell, if there is one.
  bool (*may_sleep)(const Worker& here) = nullptr;
  // The worker is about to sleep until others wake it, not until a given time; that is over. For deadlock detection.
  void (*asleep)(Worker& here) = nullptr;
  void (*awake)(Worker& here) = nullptr;

  // Memory for the stack of a rank that this worker is to start. Needed.
  std::span<std::byte> (*stack_for)(RankContext& rank) = nullptr;
  // Runs the rank, on its own stack. Needed; must end by Worker::leave_for_good().
  void (*start)(RankContext& rank) = nullptr;

  ThreadHooks threads;
};

// The hooks of one worker: calls each with that worker, unless it is null. Constant.
class BoundHooks {
 public:
  BoundHooks(Worker& here, const WorkerHooks& hooks) : here_(here), hooks_(hooks) {}

  Worker& here() const { return here_; }
  const WorkerHooks& all() const { return hooks_; }

  void poll() const { call(hooks_.poll); }
  void scheduling_point() const { call(hooks_.scheduling_point); }
  void before_switch(const ExecutionContext& next, const ExecutionContext& left) const {
    if (hooks_.before_switch != nullptr) [[unlikely]] {
      hooks_.before_switch(here_, next, left);
    }
  }
  void charged(RankContext& rank, std::uint64_t from, std::uint64_t to) const {
    if (hooks_.charged != nullptr) [[unlikely]] {
      hooks_.charged(here_, rank, from, to);
    }
  }
  void withdraw_exposed() const { call(hooks_.withdraw_exposed); }
  bool on_idle(bool long_idle) const { return hooks_.on_idle != nullptr && hooks_.on_idle(here_, long_idle); }
  bool core_is_wanted() const { return hooks_.core_is_wanted != nullptr && hooks_.core_is_wanted(here_); }
  void idle_over() const { call(hooks_.idle_over); }
  void help() const { call(hooks_.help); }
  bool may_sleep() const { return hooks_.may_sleep == nullptr || hooks_.may_sleep(here_); }
  void asleep() const { call(hooks_.asleep); }
  void awake() const { call(hooks_.awake); }
  void thread_begins() const { call(hooks_.threads.begin); }
  bool threads_may_call() const { return hooks_.threads.may_call != nullptr && hooks_.threads.may_call(here_); }

 private:
  void call(void (*hook)(Worker& here)) const {
    if (hook != nullptr) {
      hook(here_);
    }
  }

  Worker& here_;
  const WorkerHooks hooks_;
};

struct WorkerConfig {
  // The worker sleeps on it, so that other processes can wake it; null: it sleeps on its inbox.
  net::Doorbell* doorbell = nullptr;
  std::uint64_t spin_ticks = 0;       // how long an idle worker polls before it sleeps; 0: it shares its core
  std::uint64_t idle_spin_ticks = 0;  // the same after a sleep that was shorter than this
  std::uint64_t stack_guard = 0;      // the stack protector's value in threads that run ranks; 0: the system's
  Recorder* recorder = nullptr;       // kept for the layers above, which write the timeline with it
};

// The clock that measures the segments of ranks.
struct ClockChoice {
  const LoadClock* clock = nullptr;  // null: the time stamp counter
  bool is_needed = false;            // where the clock cannot be had: fail; else use the time stamp counter
};

}  // namespace sched
}  // namespace weft::runtime
