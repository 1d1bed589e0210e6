#include "runtime/worker/worker.hpp"

#include <sched.h>

#include <optional>

#include "base/check.hpp"
#include "runtime/cluster/cluster.hpp"
#include "runtime/cluster/spawning.hpp"
#include "runtime/cluster/step.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/net/bell.hpp"
#include "runtime/team/station.hpp"
#include "runtime/timeline/timeline.hpp"
#include "runtime/worker/sharing.hpp"

namespace weft::runtime {
namespace {

// The one thread_local of the runtime; see current(). libmpi_abi is there from weftrun's start, never opened later.
[[gnu::tls_model("initial-exec")]] thread_local Worker* this_worker = nullptr;

// Where the C library keeps the stack protector's value of a thread. A rank's frames hold that of the thread that they
// were entered on.
class StackGuard {
 public:
  explicit StackGuard(std::uint64_t value) : before_(exchange(value)) {}
  ~StackGuard() { exchange(before_); }
  StackGuard(const StackGuard&) = delete;
  StackGuard& operator=(const StackGuard&) = delete;

 private:
  static std::uint64_t exchange(std::uint64_t value) {
    asm volatile("xchgq %0, %%fs:0x28" : "+r"(value) : : "memory");
    return value;
  }
  const std::uint64_t before_;
};

void arrive(Worker& worker, InboxItem& item) { worker.make_ready(*static_cast<OwnedItem<Rank>&>(item).owner); }

}  // namespace

Worker::Worker(WorkerId id, Job& job)
    : id_(id),
      job_(job),
      cluster_(job.process_count() == 1 ? nullptr : &job.cluster()),
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

Rank* current_rank() {
  const Worker* const worker = Worker::current();
  return worker == nullptr ? nullptr : worker->running();
}

EnvelopePool& Worker::pool_of(std::uint32_t worker) const {
  return worker < job_.worker_count() ? job_.worker(worker).pool_ : job_.cluster().pool();
}

void Worker::run(std::span<Rank* const> ranks, std::optional<std::uint32_t> core) {
  this_worker = this;
  std::optional<StackGuard> guard;
  if (job_.config().stack_guard != 0) {
    guard.emplace(job_.config().stack_guard);
  }
  spin_ticks_ = static_cast<std::uint64_t>(job_.config().spin_us * 1e-6 * ticks_per_second());
  for (Rank* rank : ranks) {
    equip(*rank);
    rank->worker_number = number(id_);
    make_ready(*rank);
  }
  meter_.begin(core);
  segment_start_ = ticks();
  while (Rank* const next = next_ready()) {
    running_ = next;
    next->state = Rank::State::running;
    segment_start_ = ticks();
    home_.switch_to(next->fiber);
    landed();
  }
  this_worker = nullptr;
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
  const int code = me.job.program().main(me);
  end_rank(*current_rank(), code);  // it may have come to another process meanwhile
}

void end_rank(Rank& me, int exit_code) {
  settle(me);
  me.exit_code = (exit_code & 0xff) > (me.exit_code & 0xff) ? exit_code : me.exit_code;  // others had its number
  if (Client* const client = me.job.client(); client != nullptr) {
    client->end(me, exit_code);
  }
  Worker::current()->leave(me);
}

void Worker::make_ready(Rank& rank) {
  rank.state = Rank::State::ready;
  rank.next = nullptr;
  (last_ready_ != nullptr ? last_ready_->next : first_ready_) = &rank;
  last_ready_ = &rank;
}

void Worker::park(Rank& me) {
  me.state = Rank::State::parked;
  Rank* const next = next_ready();
  base::check(next != nullptr, "the job ended under a parked rank");
  if (next == &me) {
    me.state = Rank::State::running;
    return;
  }
  switch_from(me, *next);
}

void Worker::yield(Rank& me) {
  poll();
  deliver_inbox();
  if (unreported_ != nullptr) {
    report_arrivals();
  }
  share();
  if (first_ready_ == nullptr) {
    if (spin_ticks_ == 0) {
      sched_yield();
    }
    return;
  }
  make_ready(me);
  switch_from(me, *pop_ready());
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

void Worker::wait_at_gate(Rank& me, const std::atomic<std::uint64_t>& opened, std::uint64_t gate) {
  while (opened.load(std::memory_order_acquire) < gate) {
    me.next = first_at_gate_;
    first_at_gate_ = &me;
    park(me);
  }
}

void Worker::open_gate() {
  for (Rank* rank = std::exchange(first_at_gate_, nullptr); rank != nullptr;) {
    Rank* const after = rank->next;
    make_ready(*rank);
    rank = after;
  }
}

void Worker::leave(Rank& me) {
  me.state = Rank::State::ended;
  me.ended.store(true, std::memory_order_release);
  if (me.world == nullptr) {
    job_.state_->rank_ended(job_);
  }
  depart(me, true);
  base::fail("an ended rank ran again");
}

// Unlike a parked rank, one that goes away cannot wait on its own stack for the next.
void Worker::depart(Rank& me, bool dying) {
  departed_ = &me;
  Rank* const next = pop_ready();
  charge(ticks());
  ++me.load.switches;
  running_ = next;
  if (next != nullptr) {
    next->state = Rank::State::running;
  }
  me.fiber.switch_to(next != nullptr ? next->fiber : home_, dying);
  current()->landed();
}

void Worker::switch_from(Rank& me, Rank& next) {
  charge(ticks());
  ++me.load.switches;
  running_ = &next;
  next.state = Rank::State::running;
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
    job_.cluster().step().has_left(*left);
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
    job_.cluster().spawning().vacate(*this, rank);
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
  for (InboxItem* item = inbox_.take_all(); item != nullptr;) {
    InboxItem* const after = item->next;  // deliver() may end the item or send it on
    item->deliver(*this, *item);
    item = after;
  }
}

Rank* Worker::pop_ready() {
  Rank* const rank = first_ready_;
  if (rank != nullptr) {
    first_ready_ = rank->next;
    if (first_ready_ == nullptr) {
      last_ready_ = nullptr;
    }
  }
  return rank;
}

Rank* Worker::next_ready() {
  for (;;) {
    poll();
    deliver_inbox();
    share();
    if (Rank* const rank = pop_ready(); rank != nullptr) {
      return rank;
    }
    if (stopping_) {
      return nullptr;
    }
    idle();
    if (Rank* const rank = pop_ready(); rank != nullptr) {
      return rank;
    }
  }
}

void Worker::idle() {
  if (unreported_ != nullptr) {
    report_arrivals();
    if (first_ready_ != nullptr) {
      return;
    }
  }
  const std::uint64_t start = ticks();
  if (running_ != nullptr) {
    charge(start);
  }
  const bool slept = !spin_for_work();
  if (slept) {
    be_hungry();
    sleep_for_work();
  }
  claim_hunger();
  segment_start_ = ticks();
  meter_.idled(start, segment_start_, slept);
}

bool Worker::spin_for_work() {
  const std::uint64_t start = ticks();
  const std::uint64_t end = start + spin_ticks_;
  do {
    for (int i = 0; i < 16; ++i) {
      poll();
      if (!inbox_.empty() || first_ready_ != nullptr) {
        return true;
      }
      _mm_pause();
    }
    if (cluster_ != nullptr && spin_ticks_ != 0) {  // with a core of its own
      cluster_->transport().help();
    }
    if (ticks() - start > spin_ticks_ / 4) {
      be_hungry();
    }
  } while (ticks() < end);
  return !inbox_.empty();
}

void Worker::sleep_for_work() {
  net::Bell* const bell = inbox_.bell();
  if (bell != nullptr) {
    net::announce_sleep(*bell);
  }
  if (cluster_ == nullptr || cluster_->transport().idle()) {
    job_.state_->worker_sleeps(job_);
    meter_.sleeps(ticks());
    inbox_.sleep();
    meter_.wakes(ticks());
    job_.state_->worker_wakes();
  }
  if (bell != nullptr) {
    net::stay_awake(*bell);
  }
}

void Worker::poll() {
  if (cluster_ != nullptr) {
    polls_ = true;
    cluster_->poll();
    polls_ = false;
  }
}

void Worker::end() {
  end_.deliver = [](Worker& worker, InboxItem&) { worker.stopping_ = true; };
  inbox_.push(end_);
}

void Worker::remember(Team::Station& station) {
  station.next_unreported = unreported_;
  unreported_ = &station;
}

void Worker::forget(Team::Station& station) {
  Team::Station** link = &unreported_;
  while (*link != &station) {
    link = &(*link)->next_unreported;
  }
  *link = station.next_unreported;
}

void Worker::report_arrivals() {
  while (Team::Station* const station = unreported_) {
    unreported_ = station->next_unreported;
    station->listed = false;
    station->team->report(*this, *station);
  }
}

}  // namespace weft::runtime
