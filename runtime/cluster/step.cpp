#include "runtime/cluster/step.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

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
  double seconds = 0;
  std::uint32_t rank = 0;
  std::uint32_t worker = 0;  // through the whole job
  std::uint32_t wanted = 0;  // a worker, or Rank::kAnyWorker
  bool may_leave = true;
  void pup(pup::Puper& p) { p | seconds | rank | worker | wanted | may_leave; }
};

// One rank of a plan.
struct NewHome {
  std::uint32_t rank = 0;
  std::uint32_t worker = 0;
  void pup(pup::Puper& p) { p | rank | worker; }
};

template <typename T>
T text_of(std::span<const std::byte> text) {
  T value;
  pup::unpack(text, value);
  return value;
}

// The gate's second opening in the step that the rank is in.
std::uint64_t gate_of(const Rank& me) { return 2 * me.steps; }

std::uint32_t worker_of(const Rank& rank) {
  return rank.job.global_number(*rank.worker.load(std::memory_order_relaxed));
}

// Why the rank, which asks for itself, cannot be packed until it has run again; or null.
const char* why_held(const Rank& me) {
  if (me.sends_with_gaps != 0) {
    return "it sends elements with gaps";
  }
  const Client* const client = me.job.client();
  if (const char* const why = client == nullptr ? nullptr : client->pinned(me); why != nullptr) {
    return why;
  }
  return me.job.program().pinned(me.id);
}

}  // namespace

struct Step::Arrival {
  bool balance = true;
  std::string checkpoint;
  std::vector<RankReport> ranks;
  std::string pinned;
  void pup(pup::Puper& p) { p | balance | checkpoint | ranks | pinned; }
};

struct Step::Plan {
  std::string checkpoint;
  std::vector<NewHome> changes;
  void pup(pup::Puper& p) { p | checkpoint | changes; }
};

// Goes through a worker's inbox: what came before it has been delivered.
struct Step::Fence : InboxItem {
  Step* step = nullptr;
};

Step::Step(Cluster& cluster) : cluster_(cluster), planned_(cluster.job().rank_count()) {}
Step::~Step() = default;

bool Step::run(Rank& me, const StepOptions& options) {
  Step& step = me.job.cluster().step();
  ++me.steps;
  const std::uint64_t gate = gate_of(me);
  step.arrive(me, options);
  Worker::current()->wait_at_gate(me, step.opened_, gate - 1);
  if (step.opened_.load(std::memory_order_acquire) >= gate) {
    return false;  // both gates were opened at once: nothing moves
  }
  const std::uint32_t target = step.planned_[number(me.id)];
  const bool moves = target != worker_of(me);
  const bool leaves = step.leaves(me);
  Client* const client = me.job.client();
  if (moves && client != nullptr) {
    client->about_to_move(me, leaves);
  }
  if (moves || leaves) {
    Worker& here = *Worker::current();
    for (Team* team : me.teams) {
      team->leaves(here);
    }
    if (leaves) {
      here.leave_process(me);
    } else {
      Worker& there = me.job.worker(target - step.cluster_.first_worker(step.cluster_.self()));
      here.move_to(me, there);
      for (Team* team : me.teams) {
        team->joins(there);
      }
    }
  }
  Rank& arrived = *current_rank();
  if (Client* const its = arrived.job.client(); moves && its != nullptr) {
    its->just_moved(arrived, leaves);
  }
  Step& new_step = arrived.job.cluster().step();
  new_step.part_done();
  Worker::current()->wait_at_gate(arrived, new_step.opened_, gate_of(arrived));
  return moves;
}

bool Step::leaves(const Rank& rank) const {
  const std::uint32_t target = planned_[number(rank.id)];
  return !checkpoint_.empty() || cluster_.process_of(target) != cluster_.self() ||
         (cluster_.job().config().repack && target != worker_of(rank));
}

void Step::arrive(Rank& me, const StepOptions& options) {
  const JobConfig& config = me.job.config();
  const bool may_pack =
      cluster_.count() > 1 || config.repack || !options.checkpoint.empty() || !config.checkpoint.empty();
  me.held = may_pack ? why_held(me) : nullptr;
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 != me.job.state_->live_ranks.load()) {
    return;
  }
  arrived_.store(0, std::memory_order_relaxed);
  tell_loads(options);
}

// Every rank of this process waits at the gate or is about to.
void Step::tell_loads(const StepOptions& options) {
  Job& job = cluster_.job();
  Arrival arrival;
  arrival.balance = options.balance;
  arrival.checkpoint = options.checkpoint;
  for (std::uint32_t r = 0; r < job.rank_count(); ++r) {
    Rank& rank = job.rank(r);
    if (rank.worker.load(std::memory_order_relaxed) == nullptr || rank.ended.load(std::memory_order_acquire)) {
      continue;
    }
    const char* const why = rank.held;
    if (why != nullptr && arrival.pinned.empty()) {
      arrival.pinned = fmt::format("rank {}: {}", r, why);
    }
    const std::uint32_t home = worker_of(rank);
    arrival.ranks.push_back({.seconds = rank.load.take_seconds(),
                             .rank = r,
                             .worker = home,
                             .wanted = rank.take_wanted(home),
                             .may_leave = why == nullptr && job.config().ranks_may_leave});
  }
  cluster_.tell(kFirst, Control::arrival, pup::pack(arrival));
}

void Step::hear(ProcessId from, Control what, std::span<const std::byte> text) {
  const std::lock_guard lock(mutex_);
  switch (what) {
    case Control::arrival:
      on_arrival(text);
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
      const auto rank = RankId{text_of<std::uint32_t>(text)};
      cluster_.job().state_->post([this, rank] {
        // Nobody waits for this: it is done before this thread takes the rank in again.
        part_done();
        cluster_.job().program().left(rank);
      });
      break;
    }
    case Control::moved:
      on_part(text);
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
    cluster_.job().state_->post([this, offer = std::move(offer)] { unpack(offer.parcel, offer.from); });
  }
}

void Step::on_arrival(std::span<const std::byte> text) {
  Job& job = cluster_.job();
  if (ranks_heard_ == 0) {
    instance_.ranks.assign(job.rank_count(), {});
    instance_.workers.assign(cluster_.worker_count(), {});
    wanted_.assign(job.rank_count(), Rank::kAnyWorker);
    pinned_.clear();
  }
  const auto arrival = text_of<Arrival>(text);
  for (const RankReport& report : arrival.ranks) {
    instance_.ranks[report.rank] = {.rank = RankId{report.rank},
                                    .home = WorkerId{report.worker},
                                    .seconds = report.seconds,
                                    .may_move = report.may_leave};
    wanted_[report.rank] = report.wanted;
    ++ranks_heard_;
  }
  wants_balance_ = arrival.balance;
  wanted_checkpoint_ = arrival.checkpoint;
  pinned_ = pinned_.empty() ? arrival.pinned : pinned_;
  if (ranks_heard_ == job.rank_count()) {
    ranks_heard_ = 0;
    decide();
  }
}

void Step::decide() {
  const JobConfig& config = cluster_.job().config();
  Plan plan = wants_balance_ ? balance() : Plan{};
  const bool due = config.checkpoint_every != 0 && (steps_ + 1) % config.checkpoint_every == 0;
  if (!config.checkpoint.empty() && (checkpoint_requested_.exchange(false) || due)) {
    plan.checkpoint = config.checkpoint;
  }
  if (!wanted_checkpoint_.empty()) {
    plan.checkpoint = wanted_checkpoint_;
  }
  if (!plan.checkpoint.empty()) {
    const std::string why =
        !config.addresses_are_fixed ? "addresses change from run to run; start with --checkpoint" : pinned_;
    plan.changes.clear();
    if (!why.empty()) {
      std::fputs(("weft: no checkpoint is written: " + why + "\n").c_str(), stderr);
      plan.checkpoint.clear();
    }
  }
  index_ = {};
  cluster_.tell_all(Control::plan, pup::pack(plan));
}

Step::Plan Step::balance() {
  const lb::Plan homes = cluster_.job().state_->strategy->solve(instance_);
  Plan plan;
  for (const lb::RankLoad& rank : instance_.ranks) {
    const std::uint32_t home = number(rank.home);
    const std::uint32_t wanted = wanted_[number(rank.rank)];
    const std::uint32_t target = wanted != Rank::kAnyWorker ? wanted : number(homes[number(rank.rank)]);
    const bool packed = cluster_.process_of(home) != cluster_.process_of(target) || cluster_.job().config().repack;
    if (target != home && (!packed || rank.may_move)) {
      plan.changes.push_back({number(rank.rank), target});
    }
  }
  return plan;
}

void Step::on_plan(std::span<const std::byte> text) {
  Job& job = cluster_.job();
  const auto plan = text_of<Plan>(text);
  ++steps_;
  if (plan.changes.empty() && plan.checkpoint.empty()) {
    open(2 * steps_);
    return;
  }
  changed_.clear();
  crosses_ = false;
  checkpoint_ = plan.checkpoint;
  for (std::uint32_t r = 0; r < job.rank_count(); ++r) {
    const Rank& rank = job.rank(r);
    if (rank.worker.load(std::memory_order_relaxed) != nullptr && !rank.ended.load(std::memory_order_acquire)) {
      planned_[r] = worker_of(rank);
    }
  }
  for (const NewHome& change : plan.changes) {
    planned_[change.rank] = change.worker;
    changed_.push_back(change.rank);
    crosses_ = crosses_ || cluster_.process_of(change.worker) != job.rank(change.rank).process;
  }
  packs_ = crosses_ || job.config().repack || !checkpoint_.empty();
  flush_ = packs_ ? Flush::messages : Flush::none;
  if (packs_) {
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
  const std::uint32_t parts = job.state_->live_ranks.load() + coming +
                              (checkpoint_.empty() || job.state_->live_ranks == 0 ? 0 : 1);  // its file
  job.state_->live_ranks += coming;
  job.state_->live_ranks -= leaving;
  if (job.state_->live_ranks == 0 && job.state_->ended_ranks != 0) {
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

void Step::part_done() {
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    cluster_.tell(kFirst, Control::moved);
  }
}

void Step::on_part(std::span<const std::byte> text) {
  if (!text.empty()) {  // of a checkpoint
    auto part = text_of<CheckpointIndex>(text);
    index_.entries.insert(index_.entries.end(), part.entries.begin(), part.entries.end());
    index_.first_context = std::max(index_.first_context, part.first_context);
    index_.program = part.program.empty() ? index_.program : part.program;  // what went wrong
    return;
  }
  if (++parts_done_ < cluster_.count()) {
    return;
  }
  parts_done_ = 0;
  if (!checkpoint_.empty()) {
    publish();
  }
  cluster_.tell_all(Control::go);
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
  cluster_.job().state_->post([this, &rank] {
    if (checkpoint_.empty()) {
      send(rank);
    } else {
      save(rank);
    }
  });
}

}  // namespace weft::runtime
