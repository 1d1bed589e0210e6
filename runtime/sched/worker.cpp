#include "runtime/sched/worker.hpp"

#include <sched.h>
#include <unistd.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "base/check.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/stack_protector.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
inline namespace sched {
namespace {

// What the runtime knows of a thread that runs ranks; see current(). libmpi_abi is there from weftrun's start, never
// opened later.
[[gnu::tls_model("initial-exec")]] thread_local Worker* this_worker = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local WorkerThread* worker_thread = nullptr;

// Where the first thread could be counted others may not: no more descriptors, say. Who has not asked for counters does
// without them then.
void begin(WorkerMeter& meter, std::optional<std::uint32_t> core, const ClockChoice& choice) {
  if (choice.clock == nullptr) {
    meter.begin(core);
    return;
  }
  try {
    meter.begin(core, *choice.clock);
  } catch (const std::runtime_error&) {
    if (choice.is_needed) {
      throw;
    }
    meter.begin(core);
  }
}

}  // namespace

Worker::Worker(WorkerId id, const WorkerHooks& hooks, const WorkerConfig& config)
    : id_(id),
      hooks_(hooks),
      idle_spin_(config.spin_ticks, config.idle_spin_ticks),
      recorder_(config.recorder),
      stack_guard_(config.stack_guard) {
  if (config.bell != nullptr) {
    inbox_.use(*config.bell);
  }
}

Worker::~Worker() { delete lock_.load(std::memory_order_relaxed); }

// Never inlined: the compiler may keep a thread_local's address over a switch, and the fibre may wake on another
// thread.
[[gnu::noinline]] Worker* Worker::current() {
  asm volatile("" ::: "memory");
  return this_worker;
}

[[gnu::noinline]] void Worker::set_current(Worker* worker) {
  this_worker = worker;
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] WorkerThread* Worker::this_thread() {
  asm volatile("" ::: "memory");
  return worker_thread;
}

void Worker::forget_this_thread() {
  set_current(nullptr);
  worker_thread = nullptr;
}

RankContext* current_context() {
  if (const Worker* const worker = Worker::current(); worker != nullptr) [[likely]] {
    return worker->running();
  }
  const WorkerThread* const thread = Worker::this_thread();
  return thread == nullptr || thread->context == nullptr ? nullptr : thread->context->owner;
}

void Worker::run(std::span<RankContext* const> ranks, std::optional<std::uint32_t> core, const ClockChoice& clock) {
  this_worker = this;
  worker_thread = &first_;
  first_.worker = this;
  first_.thread_id = ::gettid();
  // Pairs with thread(): who signals the thread finds it running.
  thread_.store(first_.thread_id, std::memory_order_release);
  std::optional<StackProtectorValue> guard;
  if (stack_guard_ != 0) {
    guard.emplace(stack_guard_);
  }
  for (RankContext* rank : ranks) {
    set_stack(*rank, hooks_.stack_for(*rank));
    rank->worker_number = number(id_);
    make_ready(*rank);
  }
  begin(meter_, core, clock);
  segment_start_ = meter_.begin_segment();
  while (own_lock() == nullptr) {
    ExecutionContext* const next = next_ready();
    if (next == nullptr) {
      break;
    }
    segment_start_ = meter_.begin_segment();
    runs(*next);
    first_.home.switch_to(next->fiber);
    finish_switch();
  }
  if (own_lock() != nullptr) {
    work_in_turns(first_);
    own_lock()->join();
  }
  meter_.stop_counting();
  this_worker = nullptr;
  worker_thread = nullptr;
}

void Worker::run_thread(WorkerThread& thread) {
  worker_thread = &thread;
  thread.thread_id = ::gettid();
  std::optional<StackProtectorValue> guard;
  if (stack_guard_ != 0) {
    guard.emplace(stack_guard_);
  }
  if (const auto core = meter_.core()) {
    bind_this_thread(*core);
  }
  call(hooks_.threads.begin);
  thread.turn.wait();
  work_in_turns(thread);
}

void Worker::set_stack(RankContext& rank, std::span<std::byte> stack) { rank.fiber.prepare(stack, &Worker::enter); }

// First function on a rank's stack.
void Worker::enter(Fiber& /*self*/, Fiber& /*from*/) {
  current()->finish_switch();
  current()->hooks_.start(*current_context());
  base::fail("a rank's first function has returned");
}

void Worker::make_ready(ExecutionContext& context) {
  context.state = ExecutionContext::State::ready;
  if (context.lock_waiter != nullptr) [[unlikely]] {
    own_lock()->enqueue(*context.lock_waiter);
    return;
  }
  run_queue_.push(context);
}

void Worker::park(ExecutionContext& me) {
  me.state = ExecutionContext::State::parked;
  if (own_lock() != nullptr) [[unlikely]] {
    park_in_turn(me);
    return;
  }
  ExecutionContext* const next = next_ready();
  base::check(next != nullptr, "the job ended under a parked rank");
  if (next == &me) {
    me.state = ExecutionContext::State::running;
    return;
  }
  switch_from(me, *next);
}

bool Worker::yield() {
  ExecutionContext& me = *context_;
  if (own_lock() != nullptr) [[unlikely]] {
    return yield_in_turn(me);
  }
  between_ranks(true);
  if (run_queue_.empty()) {
    if (!idle_spin_.has_own_core()) {
      sched_yield();
    }
    return false;
  }
  make_ready(me);
  switch_from(me, *run_queue_.pop());
  return true;
}

void Worker::leave(RankContext& me, void (*left)(Worker& here, RankContext& rank)) {
  deliver_inbox();
  me.state = ExecutionContext::State::moving;
  me.left = left;
  depart(me, false);
}

void Worker::leave_for_good(RankContext& me, void (*left)(Worker& here, RankContext& rank)) {
  me.left = left;
  depart(me, true);
  base::fail("an ended rank ran again");
}

// Unlike a parked rank, one that goes away cannot wait on its own stack for the next.
void Worker::depart(RankContext& me, bool dying) {
  if (exposes_) {
    deliver_inbox();
  }
  departed_ = &me;
  if (own_lock() != nullptr) [[unlikely]] {
    go_home(me, dying);
    return;
  }
  ExecutionContext* const next = run_queue_.pop();
  charge(ticks());
  me.load.count_switch();
  context_ = next;
  running_ = nullptr;
  if (next != nullptr) {
    runs(*next);
  }
  me.fiber.switch_to(next != nullptr ? next->fiber : first_.home, dying);
  current()->finish_switch();
}

void Worker::runs(ExecutionContext& next) {
  context_ = &next;
  running_ = next.owner;
  next.state = ExecutionContext::State::running;
  if (own_lock() != nullptr) [[unlikely]] {
    bind(next);
  }
}

void Worker::switch_from(ExecutionContext& me, ExecutionContext& next) {
  charge(ticks());
  me.owner->load.count_switch();
  if (hooks_.before_switch != nullptr && !run_queue_.empty()) [[unlikely]] {
    hooks_.before_switch(*this, next, me);
  }
  runs(next);
  me.fiber.switch_to(next.fiber);
  current()->finish_switch();
}

void Worker::finish_switch() {
  if (departed_ == nullptr) [[likely]] {
    return;
  }
  RankContext& rank = *std::exchange(departed_, nullptr);
  rank.left(*this, rank);
}

void Worker::charge(std::uint64_t now) {
  const std::uint64_t spent = meter_.cost(segment_start_, now);
  std::atomic<std::uint64_t>& cycles = running_->load.cycles;
  cycles.store(cycles.load(std::memory_order_relaxed) + spent, std::memory_order_relaxed);
  if (hooks_.charged != nullptr) [[unlikely]] {
    hooks_.charged(*this, *running_, segment_start_, now);
  }
  segment_start_ = now;
}

void Worker::deliver_inbox() {
  if (exposes_) [[unlikely]] {
    hooks_.withdraw_exposed(*this);
  }
  for (InboxItem* item = inbox_.take_all(); item != nullptr;) {
    InboxItem* const after = item->next;  // deliver() may end the item or send it on
    item->deliver(*this, *item);
    item = after;
  }
}

// What comes between two ranks, whichever runs next. `with_deferred`: the running one would go on at once otherwise.
void Worker::between_ranks(bool with_deferred) {
  poll();
  deliver_inbox();
  if (with_deferred && deferred_ != nullptr) {
    run_deferred();
  }
  call(hooks_.scheduling_point);
  wake_sleepers();
}

ExecutionContext* Worker::next_ready() {
  for (;;) {
    between_ranks(false);
    if (ExecutionContext* const context = run_queue_.pop(); context != nullptr) {
      return context;
    }
    if (stopping_) {
      return nullptr;
    }
    idle();
    if (ExecutionContext* const context = run_queue_.pop(); context != nullptr) {
      return context;
    }
  }
}

}  // namespace sched
}  // namespace weft::runtime
