#include "runtime/cluster/step.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "runtime/cluster/ending.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/worker/worker.hpp"

namespace weft::runtime {
namespace {

constexpr ProcessId kFirst{};

// One rank of an arrival.
struct RankReport {
  double seconds;
  std::uint32_t rank;
  std::uint32_t worker;  // through the whole job
  std::uint32_t wanted;  // a worker, or Rank::kAnyWorker
  std::uint32_t may_leave;
};

// One rank of a plan.
struct NewHome {
  std::uint32_t rank;
  std::uint32_t worker;
};

template <typename T>
std::vector<T> values_of(std::span<const std::byte> text) {
  std::vector<T> values(text.size() / sizeof(T));
  std::memcpy(values.data(), text.data(), values.size() * sizeof(T));
  return values;
}

// The gate's second opening in the step that the rank is in.
std::uint64_t gate_of(const Rank& me) { return 2 * std::uint64_t{me.migrate_calls / me.job.config().lb_period}; }

std::uint32_t worker_of(const Rank& rank) {
  return rank.job.global_number(*rank.worker.load(std::memory_order_relaxed));
}

// By rank: whether a send of elements with gaps is pending, whose packed copy another process may be told to read here.
std::vector<bool> held_by_sends(const Job& job) {
  std::vector<bool> held(job.rank_count());
  for (std::uint32_t r = 0; r < job.rank_count(); ++r) {
    const Rank& rank = job.rank(r);
    for (const auto& [id, send] : rank.named_sends) {
      held[r] = held[r] || send.request->buffer.layout != nullptr;
    }
    rank.mailbox.for_each_unexpected([&](Envelope& message) {
      if (message.sender != nullptr && message.rendezvous && message.sender->buffer.layout != nullptr) {
        held[number(message.sender->owner->id)] = true;
      }
    });
  }
  return held;
}

}  // namespace

// Goes through a worker's inbox: what came before it has been delivered.
struct Step::Fence : InboxItem {
  Step* step = nullptr;
};

Step::Step(Cluster& cluster) : cluster_(cluster), planned_(cluster.job().rank_count()) {}
Step::~Step() = default;

bool Step::run(Rank& me) {
  Step& step = me.job.cluster()->step();
  const std::uint64_t gate = gate_of(me);
  step.arrive(me);
  Worker::current()->wait_at_gate(me, step.opened_, gate - 1);
  if (step.opened_.load(std::memory_order_acquire) >= gate) {
    return false;  // both gates were opened at once: nothing moves
  }
  const std::uint32_t target = step.planned_[number(me.id)];
  const bool moves = target != worker_of(me);
  const bool leaves = step.cluster_.process_of(target) != step.cluster_.self();
  if (moves) {
    if (Client* const client = me.job.client(); client != nullptr) {
      client->about_to_move(me, leaves);
    }
    Worker& here = *Worker::current();
    for (Team* team : me.teams) {
      team->leaves(here);
    }
    if (!leaves) {
      Worker& there = me.job.worker(target - step.cluster_.first_worker(step.cluster_.self()));
      here.move_to(me, there);
      for (Team* team : me.teams) {
        team->joins(there);
      }
    } else {
      here.leave_process(me);
    }
  }
  Rank& arrived = *current_rank();
  if (Client* const client = arrived.job.client(); moves && client != nullptr) {
    client->just_moved(arrived, leaves);
  }
  Step& new_step = arrived.job.cluster()->step();
  new_step.arrive_again();
  Worker::current()->wait_at_gate(arrived, new_step.opened_, gate_of(arrived));
  return moves;
}

void Step::arrive(const Rank& me) {
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 != me.job.state_->live_ranks.load()) {
    return;
  }
  arrived_.store(0, std::memory_order_relaxed);
  tell_loads();
}

// Every rank of this process waits at the gate or is about to.
void Step::tell_loads() {
  Job& job = cluster_.job();
  const std::vector<bool> held = held_by_sends(job);
  std::vector<RankReport> reports;
  for (std::uint32_t r = 0; r < job.rank_count(); ++r) {
    Rank& rank = job.rank(r);
    if (rank.worker.load(std::memory_order_relaxed) == nullptr || rank.state == Rank::State::ended) {
      continue;
    }
    const bool may_leave = job.config().ranks_may_leave && !held[r] && job.program().pinned(rank.id) == nullptr;
    const std::uint32_t home = worker_of(rank);
    reports.push_back({.seconds = rank.load.take_seconds(),
                       .rank = r,
                       .worker = home,
                       .wanted = rank.take_wanted(home),
                       .may_leave = may_leave ? 1U : 0U});
  }
  cluster_.tell(kFirst, Control::arrival, std::as_bytes(std::span(reports)));
}

void Step::hear(ProcessId from, Control what, std::span<const std::byte> text) {
  const std::lock_guard lock(mutex_);
  switch (what) {
    case Control::arrival:
      on_loads(text);
      break;
    case Control::plan:
      on_plan(text);
      break;
    case Control::marker:
      ++markers_[static_cast<std::size_t>(text.front())];
      advance();
      break;
    case Control::offer:
      offers_.push_back({from, {text.begin(), text.end()}});
      take_offers();
      break;
    case Control::taken: {
      const RankId rank = values_of<RankId>(text).front();
      cluster_.job().state_->post([this, rank] {
        cluster_.job().program().left(rank);
        part_done();
      });
      break;
    }
    case Control::moved:
      if (++parts_done_ == cluster_.count()) {
        parts_done_ = 0;
        cluster_.tell_all(Control::go);
      }
      break;
    default:
      moving_ = false;
      open(2 * steps_);
  }
}

// A parcel may come from a process whose flush was over before this one's.
void Step::take_offers() {
  if (!moving_) {
    return;
  }
  for (Offer& offer : std::exchange(offers_, {})) {
    cluster_.job().state_->post(
        [this, offer = std::move(offer)]() mutable { unpack(std::move(offer.parcel), offer.from); });
  }
}

void Step::on_loads(std::span<const std::byte> text) {
  Job& job = cluster_.job();
  if (ranks_heard_ == 0) {
    instance_.ranks.assign(job.rank_count(), {});
    instance_.workers.assign(cluster_.worker_count(), {});
    may_leave_.assign(job.rank_count(), 0);
    wanted_.assign(job.rank_count(), Rank::kAnyWorker);
  }
  for (const RankReport& report : values_of<RankReport>(text)) {
    instance_.ranks[report.rank] = {
        .rank = RankId{report.rank}, .home = WorkerId{report.worker}, .seconds = report.seconds};
    may_leave_[report.rank] = static_cast<std::uint8_t>(report.may_leave);
    wanted_[report.rank] = report.wanted;
    ++ranks_heard_;
  }
  if (ranks_heard_ == job.rank_count()) {
    ranks_heard_ = 0;
    decide();
  }
}

void Step::decide() {
  const lb::Plan plan = cluster_.job().state_->strategy->solve(instance_);
  std::vector<NewHome> changes;
  for (const lb::RankLoad& rank : instance_.ranks) {
    const std::uint32_t home = number(rank.home);
    const std::uint32_t wanted = wanted_[number(rank.rank)];
    const std::uint32_t target = wanted != Rank::kAnyWorker ? wanted : number(plan[number(rank.rank)]);
    const bool crosses = cluster_.process_of(home) != cluster_.process_of(target);
    if (target != home && (!crosses || may_leave_[number(rank.rank)] != 0)) {
      changes.push_back({number(rank.rank), target});
    }
  }
  cluster_.tell_all(Control::plan, std::as_bytes(std::span(changes)));
}

void Step::on_plan(std::span<const std::byte> text) {
  Job& job = cluster_.job();
  ++steps_;
  if (text.empty()) {
    open(2 * steps_);
    return;
  }
  changed_.clear();
  crosses_ = false;
  for (std::uint32_t r = 0; r < job.rank_count(); ++r) {
    const Rank& rank = job.rank(r);
    if (rank.worker.load(std::memory_order_relaxed) != nullptr && rank.state != Rank::State::ended) {
      planned_[r] = worker_of(rank);
    }
  }
  for (const NewHome& change : values_of<NewHome>(text)) {
    planned_[change.rank] = change.worker;
    changed_.push_back(change.rank);
    crosses_ = crosses_ || cluster_.process_of(change.worker) != job.rank(change.rank).process;
  }
  flush_ = crosses_ ? Flush::messages : Flush::none;
  if (crosses_) {
    cluster_.tell_all(Control::marker, std::array{std::byte{0}});
  } else {
    start_moves();
  }
}

void Step::advance() {
  for (;;) {
    const bool all_said = (flush_ == Flush::messages && markers_[0] == cluster_.count()) ||
                          (flush_ == Flush::answers && markers_[1] == cluster_.count());
    if (all_said) {
      markers_[flush_ == Flush::messages ? 0 : 1] = 0;
      flush_ = flush_ == Flush::messages ? Flush::inboxes : Flush::last_inboxes;
      fence_inboxes();
      return;
    }
    if (fences_ != 0) {
      return;
    }
    if (flush_ == Flush::inboxes && cluster_.pulls.load(std::memory_order_acquire) == 0) {
      flush_ = Flush::answers;
      cluster_.tell_all(Control::marker, std::array{std::byte{1}});
      return;
    }
    if (flush_ == Flush::last_inboxes) {
      flush_ = Flush::none;
      start_moves();
    }
    return;
  }
}

void Step::fence_inboxes() {
  Job& job = cluster_.job();
  fences_ = job.worker_count();
  for (std::uint32_t w = 0; w < job.worker_count(); ++w) {
    auto fence = std::make_unique<Fence>();
    fence->step = this;
    fence->deliver = [](Worker&, InboxItem& item) {
      const std::unique_ptr<Fence> ends(static_cast<Fence*>(&item));
      Step& step = *ends->step;
      const std::lock_guard lock(step.mutex_);
      if (--step.fences_ == 0) {
        step.advance();
      }
    };
    job.worker(w).inbox().push(*fence.release());
  }
}

void Step::pulls_ended() {
  const std::lock_guard lock(mutex_);
  if (flush_ == Flush::inboxes) {
    advance();
  }
}

// All ranks of this process wait at the gate; if ranks cross, no message is under way to any of them.
void Step::start_moves() {
  Job& job = cluster_.job();
  std::uint32_t leaving = 0;
  std::uint32_t coming = 0;
  for (const std::uint32_t r : changed_) {
    Rank& rank = job.rank(r);
    const ProcessId target = cluster_.process_of(planned_[r]);
    leaving += rank.process == cluster_.self() && target != cluster_.self() ? 1U : 0U;
    coming += rank.process != cluster_.self() && target == cluster_.self() ? 1U : 0U;
    rank.process = target;
  }
  if (crosses_) {
    job.placement_.fetch_add(1, std::memory_order_acq_rel);
  }
  // Who lives here arrives once more; who leaves is taken.
  const std::uint32_t parts = job.state_->live_ranks.load() + coming;
  job.state_->live_ranks += coming;
  job.state_->live_ranks -= leaving;
  if (job.state_->live_ranks == 0) {
    cluster_.ending().ranks_ended(job.state_->ended_ranks.exchange(0));
  }
  unfinished_.store(parts, std::memory_order_release);
  moving_ = true;
  open(2 * steps_ - 1);
  take_offers();
  if (parts == 0) {
    cluster_.tell(kFirst, Control::moved);
  }
}

void Step::arrive_again() { part_done(); }

void Step::part_done() {
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    cluster_.tell(kFirst, Control::moved);
  }
}

void Step::open(std::uint64_t gate) {
  struct Opening : InboxItem {};
  opened_.store(gate, std::memory_order_release);
  Job& job = cluster_.job();
  for (std::uint32_t w = 0; w < job.worker_count(); ++w) {
    auto opening = std::make_unique<Opening>();
    opening->deliver = [](Worker& worker, InboxItem& item) {
      const std::unique_ptr<Opening> ends(static_cast<Opening*>(&item));
      worker.open_gate();
    };
    job.worker(w).inbox().push(*opening.release());
  }
}

void Step::has_left(Rank& rank) {
  cluster_.job().state_->post([this, &rank] { pack(rank); });
}

}  // namespace weft::runtime
