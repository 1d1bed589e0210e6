// A thread bound to one core that runs the fibres of its ranks.
#pragma once

#include <immintrin.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/p2p/envelope_pool.hpp"
#include "runtime/sched/inbox.hpp"
#include "runtime/sched/rank.hpp"
#include "runtime/sched/sleepers.hpp"
#include "runtime/sched/steal_slots.hpp"
#include "runtime/sched/worker_lock.hpp"
#include "runtime/sched/worker_meter.hpp"
#include "runtime/sync/team.hpp"

namespace weft::runtime {

class Cluster;
class Recorder;
struct Forwarding;  // sharing.cpp

// Ticks that one thread writes and others may read.
class SharedTicks {
 public:
  SharedTicks& operator=(std::uint64_t value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

// There is no scheduler fibre: a rank that parks finds the next one itself and switches to it directly, and with
// nothing ready it waits for the inbox on its own stack. Everything but the inbox is touched by the worker's thread
// alone; once threads of its ranks may call, by the thread at the helm of its crew.
class Worker {
 public:
  Worker(WorkerId id, Job& job);

  // The worker that the calling thread runs, or whose helm it has; null elsewhere. Read anew after every suspension: a
  // fibre may wake on another thread.
  static Worker* current();
  // Null for threads that run no ranks.
  static WorkerThread* this_hand();
  // The calling thread is that of a process which fork() has just made: it runs no ranks there.
  static void forget_this_thread();

  // Thread body: prepares the ranks, runs them until the job ends. `core`: where the thread is bound to, or none.
  void run(std::span<Rank* const> ranks, std::optional<std::uint32_t> core);

  WorkerId id() const { return id_; }
  Job& job() const { return job_; }
  Rank* running() const { return running_; }
  ExecutionContext* strand() const { return strand_; }  // of the running rank's
  Inbox& inbox() { return inbox_; }
  EnvelopePool& pool() { return pool_; }
  PrefetchHints& trail() { return trail_; }  // of what it pushes to others' inboxes
  EnvelopePool& pool_of(std::uint32_t worker) const;

  // Makes the memory of a rank that is to start, and its fibre. Throws what Program::prepare() does.
  static void equip(Rank& rank);
  // Puts a strand of a rank of this worker at the end of the ready queue.
  void make_ready(ExecutionContext& strand);
  // Suspends the running strand until make_ready().
  void park(ExecutionContext& me);
  // Lets messages arrive and other ready ranks run; whether any has.
  bool yield(Rank& me);
  // Suspends the running strand until then; false if a signal handler of its rank ended the sleep before.
  bool sleep_until(MonotonicTime until);
  // Any thread, also in a signal handler: the ranks that sleep look whether they were interrupted.
  void interrupt_sleeps();
  const Sleepers& sleepers() const { return sleepers_; }
  // Hands the running rank over; returns on the other worker.
  void move_to(Rank& me, Worker& target);
  // Looks again and again, on the running rank's stack, until done() or there is something else to do here or it has
  // looked as long as an idle worker polls; the last done().
  template <typename Done>
  bool spin_until(Done&& done);
  // The same for a rank that others share the worker with: lets them go on between its looks.
  template <typename Done>
  static bool look_until(Rank& me, Done&& done);
  // Suspends the running rank and gives it to the cluster's step, which carries it to another process; returns there.
  // Nothing but the rank's own memory is the same then.
  void leave_process(Rank& me);
  // Suspends the running rank until `opened` is at least `gate`; open_gate() must follow whatever changes it.
  void wait_at_gate(Rank& me, const std::atomic<std::uint64_t>& opened, std::uint64_t gate);
  // On this worker: the ranks at the gate look again.
  void open_gate();
  // Ends the running rank.
  [[noreturn]] void leave(Rank& me);
  // Counts the running rank's cycles until now.
  void update_load() { charge(ticks()); }
  // Has nothing to do, and has not been given anything yet: true for one caller.
  bool claim_idle();
  // Delivers everything in the inbox.
  void deliver_inbox();

  // Teams with arrivals here that the team has not been told of.
  void remember(Team::BarrierNode& station);
  void forget(Team::BarrierNode& station);
  void report_arrivals();

  // It lets messages of other processes arrive at the moment.
  bool polls() const { return polls_; }
  // A message of this worker for another process; sent(): how many, for any thread.
  void count_sent() { sent_.store(sent_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  std::uint64_t sent() const { return sent_.load(std::memory_order_acquire); }

  // What of the window to a process (see Cluster::take_credit) this worker has taken and not used.
  std::int64_t& credit(ProcessId process) { return credits_[number(process)]; }

  // Any thread: makes the worker return from run() once it has nothing ready. Called once.
  void end();

  // Threads of its ranks may call from now on. On the worker's thread.
  void share_with_threads();
  WorkerLock* crew() const { return lock_.load(std::memory_order_acquire); }  // null before that
  // At the helm: the strand goes on in a call that it begins or was suspended in; it leaves the call for the program.
  void enter_mpi(ExecutionContext& strand);
  void leave_mpi();
  // At the helm: a thread of this rank calls for the first time, or may do so any time.
  void welcome(Rank& rank);
  // Body of a further thread of the crew.
  void lend(WorkerThread& hand);
  // What the crew says of the worker: everybody sleeps, or somebody does no longer.
  void sleeps();
  void wakes();
  bool may_sleep() const;  // nothing to poll for has come

  // For who decides whether the running rank is preempted, on any thread. The thread that runs it, as the system knows
  // it; 0: none yet. Ticks: since when it has run, as far as the worker has heard; and when a rank of this worker was
  // last preempted.
  int thread() const { return thread_.load(std::memory_order_acquire); }
  std::uint64_t running_since() const { return segment_start_; }
  std::uint64_t preempted_at() const { return preempted_at_; }
  // On the worker's thread: the running rank is going to yield without having asked to.
  void note_preemption() { preempted_at_ = ticks(); }

  const WorkerMeter& meter() const { return meter_; }
  // Where the job's timeline is written down; null where nobody asked for one.
  Recorder* recorder() const { return recorder_; }

 private:
  static void set_current(Worker* worker);
  static void enter(Fiber& self, Fiber& from);
  ExecutionContext* pop_ready();   // null when none is ready
  ExecutionContext* next_ready();  // waits; null when the job ends
  void share();                    // see sharing.hpp
  // Taken out of the ready queue; null when none is to be given away. `shortest`: ticks that it runs at a time.
  Rank* spare_rank(std::uint64_t now, std::uint64_t shortest);
  void give_as_planned();                    // those ready ranks that belong to another worker
  Rank& take_out(ExecutionContext* before);  // what is behind `before` in the ready queue; null: its first
  // Before `next` runs, those that other workers may take meanwhile; not `left`, whose stack is still in use.
  void expose(const ExecutionContext& next, const ExecutionContext& left);
  void withdraw_exposed();
  bool steal();
  void mark_idle();
  void wake_sleepers() {  // those whose time has come are ready
    if (has_sleepers_) [[unlikely]] {
      wake_due();
    }
  }
  void wake_due();
  void idle();
  void poll();  // lets messages of other processes arrive
  bool spin_for_work();
  bool has_work() const {
    return !inbox_.empty() || first_ready_ != nullptr || exposed_ || unreported_ != nullptr ||
           (own_lock_ != nullptr && own_lock_->contended()) || (has_sleepers_ && sleepers_.is_due());
  }
  void sleep_for_work();
  void runs(ExecutionContext& next);  // is about to
  void switch_from(ExecutionContext& me, ExecutionContext& next);
  // With a crew.
  void park_in_turn(ExecutionContext& me);
  bool yield_in_turn(ExecutionContext& me);
  void go_home(ExecutionContext& me, bool dying);
  void work_in_turns(WorkerThread& hand);
  void rest_in_turn(WorkerThread& hand);
  void bind(ExecutionContext& next);  // runs() there
  bool needs_a_hand() const;          // there is work that only a hand can do
  bool threads_may_come() const;
  void depart(Rank& me, bool dying);
  void landed();          // finishes what the rank that was left could not do itself
  void bury(Rank& rank);  // has ended, and nobody stands on its stack
  void charge(std::uint64_t now);

  const WorkerId id_;
  Job& job_;
  Cluster* const cluster_;  // whose messages it polls for; null in a job of one process
  WorkerThread first_;      // the worker's own thread
  Rank* running_ = nullptr;
  ExecutionContext* strand_ = nullptr;
  Rank* departed_ = nullptr;       // just left for good or for another worker
  Worker* departed_to_ = nullptr;  // null for another process
  ExecutionContext* first_at_gate_ = nullptr;
  ExecutionContext* first_ready_ = nullptr;
  ExecutionContext* last_ready_ = nullptr;
  Team::BarrierNode* unreported_ = nullptr;
  bool stopping_ = false;
  bool polls_ = false;
  bool has_sleepers_ = false;
  const bool shares_;     // with other workers of the process, at any call
  bool exposed_ = false;  // something lies on the shelf, or did
  std::atomic<bool> idle_ = false;
  std::uint64_t tried_to_share_ = 0;
  std::atomic<std::uint64_t> sent_ = 0;
  std::vector<std::int64_t> credits_;
  InboxItem end_;
  SharedTicks segment_start_;
  SharedTicks preempted_at_;
  std::atomic<int> thread_ = 0;
  Recorder* const recorder_;
  std::uint64_t spin_ticks_ = 0;
  std::uint64_t idle_spin_ticks_ = 0;  // JobConfig::idle_spin_us
  bool patient_ = false;               // its last sleep was short
  WorkerMeter meter_;
  EnvelopePool pool_;
  PrefetchHints trail_;
  Inbox inbox_;
  StealSlots steal_slots_;
  std::vector<Forwarding*> taken_;  // what others took from it, until the inbox has been emptied
  Sleepers sleepers_;
  // Of a crew: the strand that a hand runs and that any other could; there is one at most, so that ranks without
  // threads share a core as ever.
  ExecutionContext* loose_ = nullptr;
  std::atomic<WorkerLock*> lock_ = nullptr;
  std::unique_ptr<WorkerLock> own_lock_;
};

template <typename Done>
bool Worker::spin_until(Done&& done) {
  constexpr int kFewLooks = 16;  // so few count as the rank's own time
  for (int i = 0; i < kFewLooks; ++i) {
    if (done()) {
      return true;
    }
    _mm_pause();
  }
  const std::uint64_t start = ticks();
  charge(start);
  bool over = false;
  while (!over && !has_work() && ticks() - start < spin_ticks_) {
    poll();
    for (int i = 0; i < kFewLooks && !over; ++i) {
      _mm_pause();
      over = done();
    }
  }
  segment_start_ = meter_.begin_segment();
  meter_.idled(start, segment_start_, false);
  return over;
}

template <typename Done>
bool Worker::look_until(Rank& me, Done&& done) {
  const std::uint64_t start = ticks();
  do {
    Worker& here = *current();  // the rank may wake on another one
    if (here.has_work()) {
      here.yield(me);
      if (done()) {
        return true;
      }
    } else if (here.spin_until(done)) {
      return true;
    }
  } while (ticks() - start < current()->spin_ticks_);
  return false;
}

}  // namespace weft::runtime
