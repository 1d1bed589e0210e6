// What a worker asks of the layers above it. The composition root (runtime/job) fills this in before the worker starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace weft::net {
struct Bell;
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

// About ranks whose own threads make calls. All are needed where a rank may allow that.
struct ThreadHooks {
  // A further thread of the worker has started and is going to run ranks.
  void (*begin)(Worker& here) = nullptr;
  // A thread of this rank calls for the first time, or the rank waits in a parallel region of OpenMP: it must stay in
  // its process, and calls in this process begin and end as allow_threads() says.
  void (*first_call)(RankContext& rank) = nullptr;
  // Such a thread wants to call and must wait for a balancing step: no further step should begin.
  void (*request_disable)(RankContext& rank) = nullptr;
  // Whether some thread of a rank of this worker may call although everybody waits: then that is no deadlock.
  bool (*may_come)(const Worker& here) = nullptr;
  // A further thread could not be started; does not return.
  void (*fail)(Worker& here, const std::string& why) = nullptr;
};

// Constant once the worker runs. Each may be null, unless it says otherwise: then there is nothing to do. All are
// called on the worker's thread.
struct WorkerHooks {
  // Lets messages of other processes arrive: between two ranks, and again and again while the worker is idle.
  void (*poll)(Worker& here) = nullptr;
  // Between two ranks, once the inbox is empty: may take ranks out of the ready queue.
  void (*scheduling_point)(Worker& here) = nullptr;
  // `left` has stopped and `next` is about to run, and others are ready; the stack of `left` is still in use.
  void (*before_switch)(Worker& here, const ExecutionContext& next, const ExecutionContext& left) = nullptr;
  // The rank has run for these ticks.
  void (*charged)(Worker& here, RankContext& rank, std::uint64_t from, std::uint64_t to) = nullptr;

  // Where Worker::set_exposes() has been called: before the inbox is emptied.
  void (*withdraw_exposed)(Worker& here) = nullptr;
  // A rank of this worker gets its mail by its own queue although it has not changed its worker for long. Needed where
  // ranks may do so.
  void (*close_mail_queue)(Worker& here, RankContext& rank) = nullptr;

  // Nothing is ready, again and again; `long_idle`: for some time already, or the worker is about to sleep. True when
  // it has made something ready.
  bool (*on_idle)(Worker& here, bool long_idle) = nullptr;
  // Nothing is ready: whether another thread of the process has work to do, so that the worker sleeps instead of
  // polling.
  bool (*core_is_wanted)(Worker& here) = nullptr;
  // That is over.
  void (*idle_over)(Worker& here) = nullptr;
  // Nothing is ready and the worker spins on a core of its own: a moment to do what others wait for.
  void (*help)(Worker& here) = nullptr;
  // False when something has come that poll() would let arrive. The bell, if any, has been announced.
  bool (*may_sleep)(const Worker& here) = nullptr;
  // The worker is about to sleep and waits for others, not for a time; it does no longer. For deadlock detection.
  void (*asleep)(Worker& here) = nullptr;
  void (*awake)(Worker& here) = nullptr;

  // Memory for the stack of a rank that this worker is to start. Needed.
  std::span<std::byte> (*stack_for)(RankContext& rank) = nullptr;
  // The rank begins, on its own stack. Needed; must end by Worker::leave_for_good().
  void (*start)(RankContext& rank) = nullptr;

  ThreadHooks threads;
};

// The hooks of one worker, each called with that worker; one that is null does nothing. Constant.
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
  bool threads_may_come() const { return hooks_.threads.may_come != nullptr && hooks_.threads.may_come(here_); }

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
  net::Bell* bell = nullptr;     // the worker sleeps on it, so that other processes can wake it; null: on its inbox
  std::uint64_t spin_ticks = 0;  // how long an idle worker polls before it sleeps; 0: it shares its core
  std::uint64_t idle_spin_ticks = 0;  // the same after a sleep that was shorter than this
  std::uint64_t stack_guard = 0;      // the stack protector's value in threads that run ranks; 0: the system's
  Recorder* recorder = nullptr;       // kept for the layers above, which write the timeline with it
};

// What ranks' segments are measured by.
struct ClockChoice {
  const LoadClock* clock = nullptr;  // null: the time stamp counter
  bool is_needed = false;            // fails where the clock cannot be had; else the time stamp counter does
};

}  // namespace sched
}  // namespace weft::runtime
