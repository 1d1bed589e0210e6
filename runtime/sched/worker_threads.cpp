#include "runtime/sched/worker_threads.hpp"

#include <sched.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/thread_start.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
inline namespace sched {
namespace {

// See WorkerThreads::current(). libmpi_abi is loaded with weftrun, never by dlopen(), so that this TLS model is
// allowed.
[[gnu::tls_model("initial-exec")]] thread_local WorkerThread* worker_thread = nullptr;

// Reports show the rank's own context: while one of the rank's threads holds the lock, that has the name of its call.
void swap_call(ExecutionContext& context) {
  if (&context != context.owner) {
    std::swap(context.call, context.owner->call);
  }
}

}  // namespace

RankContext* current_context() {
  if (const Dispatcher* const here = Dispatcher::current(); here != nullptr) [[likely]] {
    return here->running();
  }
  const WorkerThread* const thread = WorkerThreads::current();
  return thread == nullptr || thread->context == nullptr ? nullptr : thread->context->owner;
}

// Never inlined: see Dispatcher::current().
[[gnu::noinline]] WorkerThread* WorkerThreads::current() {
  asm volatile("" ::: "memory");
  return worker_thread;
}

void WorkerThreads::forget_current() {
  Dispatcher::set_current(nullptr);
  worker_thread = nullptr;
}

WorkerThreads::ThreadRegistration::ThreadRegistration(WorkerThreads& threads, WorkerThread& thread) {
  worker_thread = &thread;
  thread.owner = &threads;
  thread.thread_id = ::gettid();
  if (threads.stack_guard_ != 0) {
    guard_.emplace(threads.stack_guard_);
  }
}

WorkerThreads::ThreadRegistration::~ThreadRegistration() { forget_current(); }

void WorkerThreads::ensure_lock() {
  if (lock_ != nullptr) {
    return;
  }
  if (scheduler_.exposes()) {
    scheduler_.deliver_inbox();
  }
  scheduler_.meter().stop_counting();  // a counter counts one thread only
  first_.context = scheduler_.context();
  lock_ = std::make_unique<WorkerLock>(scheduler_.sleep(), [this] { add_thread(); });
  lock_->set_unbound_context(scheduler_.context());
  scheduler_.publish_lock(*lock_);
}

void WorkerThreads::enter_mpi(ExecutionContext& context) {
  Dispatcher::set_current(&scheduler_);
  scheduler_.set_running(context);
  scheduler_.begin_segment();
  if (WorkerThread* const thread = current(); thread != nullptr && thread->outside_mpi_since != 0) {
    std::atomic<std::uint64_t>& cycles = context.owner->load.cycles;  // the rank has computed meanwhile
    const std::uint64_t since = std::exchange(thread->outside_mpi_since, 0U);
    cycles.store(cycles.load(std::memory_order_relaxed) + scheduler_.running_since() - since,
                 std::memory_order_relaxed);
  }
}

void WorkerThreads::leave_mpi() {
  scheduler_.update_load();
  if (WorkerThread* const thread = current(); thread != nullptr) {
    thread->outside_mpi_since = scheduler_.running_since();
  }
  scheduler_.clear_running();
  Dispatcher::set_current(nullptr);
  release_lock();
}

// The rank's own fibre stays on the thread that runs it now, since the program may depend on that thread: by a team of
// OpenMP, or a lock that knows its owner. A suspended fibre stays on the thread that runs it next.
void WorkerThreads::begin_thread_calls(RankContext& rank) {
  rank.threads_have_called = true;
  lock().expect_threads();
  if (WorkerThread* const thread = thread_of(rank); thread != nullptr) {
    rank.lock_waiter = &thread->turn;
    if (lock().unbound_context() == &rank) {
      lock().set_unbound_context(nullptr);
    }
  }
  const auto first_call = scheduler_.bound_hooks().all().threads.first_call;
  if (first_call != nullptr) {
    first_call(rank);
  }
}

WorkerThread* WorkerThreads::thread_of(const ExecutionContext& context) {
  if (first_.context == &context) {
    return &first_;
  }
  for (const auto& thread : added_threads_) {
    if (thread->context == &context) {
      return thread.get();
    }
  }
  return nullptr;
}

void WorkerThreads::bind(ExecutionContext& next) {
  WorkerThread& thread = *current();
  thread.context = &next;
  note_running(thread);
  next.lock_waiter = next.owner->threads_have_called ? &thread.turn : nullptr;
  lock().set_unbound_context(next.lock_waiter == nullptr ? &next : nullptr);
}

bool WorkerThreads::needs_worker_thread() const {
  return (!scheduler_.run_queue().empty() && lock_->unbound_context() == nullptr) || scheduler_.has_deferred() ||
         scheduler_.is_stopping() || scheduler_.sleepers().is_due();
}

void WorkerThreads::release_lock() { lock().release(needs_worker_thread()); }

void WorkerThreads::park(ExecutionContext& me) {
  if (me.lock_waiter != nullptr) {
    // Only this thread can go on with `me`, so it waits here. make_ready() puts its turn into the lock's queue.
    scheduler_.poll();
    scheduler_.deliver_inbox();
    scheduler_.run_deferred();
    scheduler_.update_load();
    swap_call(me);
    release_lock();
    me.lock_waiter->wait();
    enter_mpi(me);
    swap_call(me);
    return;
  }
  scheduler_.between_ranks(false);
  if (!lock().contended()) {
    if (ExecutionContext* const next = scheduler_.run_queue().pop(); next == &me) {
      me.state = ExecutionContext::State::running;
      return;
    } else if (next != nullptr) {
      bind(*next);
      scheduler_.switch_from(me, *next);
      return;
    }
  }
  go_home(me, false);
}

bool WorkerThreads::yield(ExecutionContext& me) {
  scheduler_.between_ranks(true);
  scheduler_.update_load();
  if (me.lock_waiter != nullptr) {
    LockWaiter& turn = *me.lock_waiter;
    swap_call(me);
    release_lock();
    sched_yield();
    lock().acquire(turn);
    enter_mpi(me);
    swap_call(me);
    return true;
  }
  if (lock().contended()) {
    lock().yield(current()->turn);
    enter_mpi(me);
  }
  if (!scheduler_.run_queue().empty() && me.lock_waiter == nullptr) {
    scheduler_.make_ready(me);
    ExecutionContext& next = *scheduler_.run_queue().pop();
    bind(next);
    scheduler_.switch_from(me, next);
    return true;
  }
  if (!scheduler_.has_own_core()) {
    sched_yield();
  }
  return false;
}

void WorkerThreads::go_home(ExecutionContext& me, bool dying) {
  WorkerThread& thread = *current();
  thread.context = nullptr;
  me.lock_waiter = nullptr;
  if (lock().unbound_context() == &me) {
    lock().set_unbound_context(nullptr);
  }
  scheduler_.switch_away(me, nullptr, thread.home, dying);
}

void WorkerThreads::add_thread() {
  count_.fetch_add(1, std::memory_order_release);  // before it can run a rank; pairs with count()
  WorkerThread& thread = *added_threads_.emplace_back(std::make_unique<WorkerThread>());
  thread.turn.grant();  // before it waits
  try {
    thread.thread = base::start_thread("another thread of a worker", [this, &thread] { run(thread); });
  } catch (const std::runtime_error& error) {
    const BoundHooks& hooks = scheduler_.bound_hooks();
    hooks.all().threads.fail(hooks.here(), fmt::format("weft: {}", error.what()));
  }
}

void WorkerThreads::run(WorkerThread& added) {
  const ThreadRegistration registration(*this, added);
  if (const auto core = scheduler_.meter().core()) {
    bind_this_thread(*core);
  }
  scheduler_.bound_hooks().thread_begins();
  added.turn.wait();
  take_turns(added);
}

void WorkerThreads::take_turns() {
  take_turns(first_);
  join();
}

void WorkerThreads::join() {
  for (const auto& thread : added_threads_) {
    if (thread->thread.joinable()) {
      thread->thread.join();
    }
  }
}

void WorkerThreads::take_turns(WorkerThread& thread) {
  Dispatcher::set_current(&scheduler_);
  for (;;) {
    lock().yield(thread.turn);
    scheduler_.between_ranks(false);
    if (!scheduler_.run_queue().empty() && lock().unbound_context() == nullptr) {
      scheduler_.begin_segment();
      ExecutionContext& next = *scheduler_.run_queue().pop();
      bind(next);
      scheduler_.switch_from_home(thread.home, next);
    } else if (scheduler_.has_deferred()) {
      scheduler_.run_deferred();
    } else if (scheduler_.is_stopping()) {
      lock().retire();
      return;
    } else {
      stand_by(thread);
    }
  }
}

void WorkerThreads::stand_by(WorkerThread& thread) {
  const BoundHooks& hooks = scheduler_.bound_hooks();
  const std::uint64_t start = ticks();
  const bool alone = !lock().expects_threads();
  const bool slept = !alone || !scheduler_.spin_for_work();
  if (slept) {
    hooks.on_idle(true);
    const bool nothing_runs = alone && lock().unbound_context() == nullptr && !scheduler_.sleepers().any();
    lock().stand_by(thread, nothing_runs && !hooks.threads_may_call());
  }
  hooks.idle_over();
  scheduler_.begin_segment();
  if (alone) {
    scheduler_.meter().idled(start, scheduler_.running_since(), slept);
  }
}

}  // namespace sched
}  // namespace weft::runtime
