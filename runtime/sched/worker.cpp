#include "runtime/sched/worker.hpp"

#include <sched.h>
#include <unistd.h>

#include <optional>
#include <stdexcept>

#include "base/check.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/lbstep/step.hpp"
#include "runtime/location/continuous_balancer.hpp"
#include "runtime/location/forwarding.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/net/bell.hpp"
#include "runtime/sched/stack_guard.hpp"
#include "runtime/sched/thread_calls.hpp"
#include "runtime/spawning/spawning.hpp"
#include "runtime/timeline/timeline.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
namespace {

// What the runtime knows of a thread that runs ranks; see current(). libmpi_abi is there from weftrun's start, never
// opened later.
[[gnu::tls_model("initial-exec")]] thread_local Worker* this_worker = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local WorkerThread* hand_of_thread = nullptr;

void arrive(Worker& worker, InboxItem& item) {
  Rank& rank = *static_cast<OwnedItem<Rank>&>(item).owner;
  if (rank.threads_allowed) {
    worker.share_with_threads();
  }
  worker.make_ready(rank);
}

// Where the first thread could be counted others may not: no more descriptors, say. Nobody has asked auto for counters.
void begin(WorkerMeter& meter, std::optional<std::uint32_t> core, const Job& job) {
  try {
    meter.begin(core, job.load_clock());
  } catch (const std::runtime_error&) {
    if (job.config().load_clock != "auto") {
      throw;
    }
    meter.begin(core);
  }
}

}  // namespace

Worker::Worker(WorkerId id, Job& job)
    : id_(id),
      job_(job),
      cluster_(job.process_count() == 1 ? nullptr : &job.cluster()),
      shares_(job.config().share),
      credits_(job.process_count()),
      recorder_(job.timeline() == nullptr ? nullptr : &job.timeline()->recorder(number(id))),
      pool_(number(id), job.config().workers + 1) {
  net::Bell* const bell = cluster_ == nullptr ? nullptr : cluster_->transport().bell(number(id));
  if (bell != nullptr) {
    inbox_.use(*bell);
  }
}

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

[[gnu::noinline]] WorkerThread* Worker::this_hand() {
  asm volatile("" ::: "memory");
  return hand_of_thread;
}

void Worker::forget_this_thread() {
  set_current(nullptr);
  hand_of_thread = nullptr;
}

Rank* current_rank() {
  if (const Worker* const worker = Worker::current(); worker != nullptr) [[likely]] {
    return worker->running();
  }
  const WorkerThread* const hand = Worker::this_hand();
  return hand == nullptr || hand->strand == nullptr ? nullptr : hand->strand->owner;
}

EnvelopePool& Worker::pool_of(std::uint32_t worker) const {
  return worker < job_.worker_count() ? job_.worker(worker).pool_ : job_.cluster().pool();
}

void Worker::run(std::span<Rank* const> ranks, std::optional<std::uint32_t> core) {
  this_worker = this;
  hand_of_thread = &first_;
  first_.worker = this;
  first_.thread_id = ::gettid();
  thread_.store(first_.thread_id, std::memory_order_release);
  std::optional<StackGuard> guard;
  if (job_.config().stack_guard != 0) {
    guard.emplace(job_.config().stack_guard);
  }
  spin_ticks_ = static_cast<std::uint64_t>(job_.config().spin_us * 1e-6 * ticks_per_second());
  idle_spin_ticks_ = static_cast<std::uint64_t>(job_.config().idle_spin_us * 1e-6 * ticks_per_second());
  for (Rank* rank : ranks) {
    equip(*rank);
    rank->worker_number = number(id_);
    make_ready(*rank);
  }
  begin(meter_, core, job_);
  segment_start_ = meter_.begin_segment();
  while (own_lock_ == nullptr) {
    ExecutionContext* const next = next_ready();
    if (next == nullptr) {
      break;
    }
    segment_start_ = meter_.begin_segment();
    runs(*next);
    first_.home.switch_to(next->fiber);
    landed();
  }
  if (own_lock_ != nullptr) {
    work_in_turns(first_);
    own_lock_->join();
  }
  meter_.stop_counting();
  this_worker = nullptr;
  hand_of_thread = nullptr;
}

void Worker::lend(WorkerThread& hand) {
  hand_of_thread = &hand;
  hand.thread_id = ::gettid();
  std::optional<StackGuard> guard;
  if (job_.config().stack_guard != 0) {
    guard.emplace(job_.config().stack_guard);
  }
  if (const auto core = meter_.core()) {
    bind_this_thread(*core);
  }
  job_.program().begin_thread();
  hand.seat.wait();
  work_in_turns(hand);
}

void Worker::equip(Rank& rank) { rank.fiber.prepare(rank.job.program().prepare(rank.id), &Worker::enter); }

// First function on a rank's stack.
void Worker::enter(Fiber& /*self*/, Fiber& /*from*/) {
  current()->landed();
  Rank& me = *current_rank();
  Client* const client = me.job.client();
  if (client != nullptr) {
    client->begin(me);
  }
  if (current()->own_lock_ != nullptr) {
    current()->leave_mpi();
  }
  const int code = me.job.program().main(me);
  end_rank(*current_rank(), code);  // it may have come to another process meanwhile
}

void end_rank(Rank& me, int exit_code) {
  resume_call();  // it may come from the program
  settle(me);
  me.exit_code = (exit_code & 0xff) > (me.exit_code & 0xff) ? exit_code : me.exit_code;  // others had its number
  if (Client* const client = me.job.client(); client != nullptr) {
    client->end(me, exit_code);
    settle(me);  // it may have waited there, and been taken
  }
  Worker::current()->leave(me);
}

void Worker::make_ready(ExecutionContext& strand) {
  strand.state = ExecutionContext::State::ready;
  if (strand.seat != nullptr) [[unlikely]] {
    own_lock_->enqueue(*strand.seat);
    return;
  }
  strand.next = nullptr;
  (last_ready_ != nullptr ? last_ready_->next : first_ready_) = &strand;
  last_ready_ = &strand;
}

void Worker::park(ExecutionContext& me) {
  me.state = ExecutionContext::State::parked;
  if (own_lock_ != nullptr) [[unlikely]] {
    park_in_turn(me);
    return;
  }
  ExecutionContext* const next = next_ready();
  base::check(next != nullptr, "the job ended under a parked rank");
  if (next == &me) {
    me.state = Rank::State::running;
    return;
  }
  switch_from(me, *next);
}

bool Worker::yield(Rank& /*me*/) {
  ExecutionContext& me = *strand_;
  if (own_lock_ != nullptr) [[unlikely]] {
    return yield_in_turn(me);
  }
  poll();
  deliver_inbox();
  if (unreported_ != nullptr) {
    report_arrivals();
  }
  share();
  wake_sleepers();
  if (first_ready_ == nullptr) {
    if (spin_ticks_ == 0) {
      sched_yield();
    }
    return false;
  }
  make_ready(me);
  switch_from(me, *pop_ready());
  return true;
}

void Worker::move_to(Rank& me, Worker& target) {
  deliver_inbox();
  me.state = Rank::State::moving;
  departed_to_ = &target;
  depart(me, false);
}

void Worker::leave_process(Rank& me) {
  deliver_inbox();
  me.state = Rank::State::moving;
  departed_to_ = nullptr;
  depart(me, false);
}

void Worker::leave(Rank& me) {
  me.state = Rank::State::ended;
  me.ended.store(true, std::memory_order_release);
  ContinuousBalancer::take(me);
  if (me.world == nullptr) {
    job_.state_->rank_ended(job_);
  }
  depart(me, true);
  base::fail("an ended rank ran again");
}

// Unlike a parked rank, one that goes away cannot wait on its own stack for the next.
void Worker::depart(Rank& me, bool dying) {
  if (exposed_) {
    deliver_inbox();
  }
  departed_ = &me;
  if (own_lock_ != nullptr) [[unlikely]] {
    go_home(me, dying);
    return;
  }
  ExecutionContext* const next = pop_ready();
  charge(ticks());
  me.load.count_switch();
  strand_ = next;
  running_ = nullptr;
  if (next != nullptr) {
    runs(*next);
  }
  me.fiber.switch_to(next != nullptr ? next->fiber : first_.home, dying);
  current()->landed();
}

void Worker::runs(ExecutionContext& next) {
  strand_ = &next;
  running_ = next.owner;
  next.state = ExecutionContext::State::running;
  if (own_lock_ != nullptr) [[unlikely]] {
    bind(next);
  }
}

void Worker::switch_from(ExecutionContext& me, ExecutionContext& next) {
  charge(ticks());
  me.owner->load.count_switch();
  if (shares_ && first_ready_ != nullptr) [[unlikely]] {
    expose(next, me);
  }
  runs(next);
  me.fiber.switch_to(next.fiber);
  current()->landed();
}

void Worker::landed() {
  Rank* const left = departed_;
  if (left == nullptr) [[likely]] {
    return;
  }
  departed_ = nullptr;
  if (left->state == Rank::State::ended) {
    bury(*left);
    return;
  }
  if (departed_to_ == nullptr) {
    job_.step().has_left(*left);
    return;
  }
  left->hand_over.deliver = &arrive;
  Worker& target = *departed_to_;
  if (recorder_ != nullptr) {
    recorder_->moves(left->id, job_.global_number(target));
  }
  // From here on messages for the rank go to its new worker.
  left->worker_number = number(target.id_);
  left->worker.store(&target, std::memory_order_release);
  target.inbox_.push(left->hand_over);
}

void Worker::bury(Rank& rank) {
  job_.program().release(rank.id);
  if (rank.world != nullptr) {  // the job must not end before process 0 has heard of the free number
    job_.spawning().vacate(*this, rank);
    job_.state_->rank_ended(job_);
  }
}

void Worker::charge(std::uint64_t now) {
  const std::uint64_t spent = meter_.cost(segment_start_, now);
  std::atomic<std::uint64_t>& cycles = running_->load.cycles;
  cycles.store(cycles.load(std::memory_order_relaxed) + spent, std::memory_order_relaxed);
  if (recorder_ != nullptr) [[unlikely]] {
    recorder_->ran(running_->id, segment_start_, now);
  }
  segment_start_ = now;
}

void Worker::deliver_inbox() {
  const bool had_laid_out = exposed_;
  if (had_laid_out) [[unlikely]] {
    withdraw_exposed();
  }
  for (InboxItem* item = inbox_.take_all(); item != nullptr;) {
    InboxItem* const after = item->next;  // deliver() may end the item or send it on
    item->deliver(*this, *item);
    item = after;
  }
  if (had_laid_out) [[unlikely]] {
    for (Forwarding* const handover : std::exchange(taken_, {})) {
      end_stolen_forwarding(*handover);
    }
  }
}

ExecutionContext* Worker::pop_ready() {
  ExecutionContext* const strand = first_ready_;
  if (strand != nullptr) {
    first_ready_ = strand->next;
    if (first_ready_ == nullptr) {
      last_ready_ = nullptr;
    }
  }
  return strand;
}

ExecutionContext* Worker::next_ready() {
  for (;;) {
    if (cluster_ != nullptr) {
      poll();
    }
    deliver_inbox();
    share();
    wake_sleepers();
    if (ExecutionContext* const strand = pop_ready(); strand != nullptr) {
      return strand;
    }
    if (stopping_) {
      return nullptr;
    }
    idle();
    if (ExecutionContext* const strand = pop_ready(); strand != nullptr) {
      return strand;
    }
  }
}

}  // namespace weft::runtime
