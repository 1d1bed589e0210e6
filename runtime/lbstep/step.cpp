#include "runtime/lbstep/step.hpp"

#include <cstdio>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/location/forwarding.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/termination/termination.hpp"
#include "runtime/timeline/recorder.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
namespace {

constexpr ProcessId kFirst{};
constexpr std::uint64_t kNoGate = UINT64_MAX;

// The gate's second opening in the step that the rank is in.
std::uint64_t gate_of(const Rank& me) { return 2 * me.steps; }

std::uint32_t worker_of(const Rank& rank) {
  return rank.job.global_number(*rank.worker.load(std::memory_order_relaxed));
}

// Null where process 0 decides: in a job of one process nothing is gathered anyway.
std::unique_ptr<StepTree> make_tree(Cluster& cluster, ControlChannel& control, const Balancer& balancer,
                                    ControlHandler& step, StepTree::Calls calls) {
  const auto* const strategy = dynamic_cast<const lb::Hierarchical*>(&balancer.strategy());
  if (strategy == nullptr || cluster.count() == 1) {
    return nullptr;
  }
  return std::make_unique<StepTree>(cluster, control, *strategy, balancer, step, std::move(calls));
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

Step::Step(Cluster& cluster, ControlChannel& control)
    : ControlHandler(cluster.self()),
      cluster_(cluster),
      control_(control),
      barrier_(cluster.job().worker_count()),
      bytes_(cluster.job().rank_count()),
      supersteps_(lb::looks_at_patterns(cluster.job().config().lb)
                      ? std::make_unique<Supersteps>(cluster.job().rank_count())
                      : nullptr),
      planned_(cluster.job().rank_count()),
      probe_(cluster, control, *this, [this](const lb::Links& links) { on_links(links); }),
      tree_(make_tree(cluster, control, cluster.job().state_->balancer, *this,
                      {.empty = [this] { return empty_arrival(); },
                       .decide = [this](Found& found) { on_found(found); },
                       .measure = [this] { probe_.start(cluster_.job().state_->balancer.links()); }})) {
  control.set_handler(ControlPart::step, *this);
  if (const auto& lock = cluster.job().config().checkpoint_lock) {
    locks_.push_back(lock);
  }
}
Step::~Step() {
  if (!published_.empty()) {
    CheckpointWriter::remove_spare(published_);
  }
}

bool Step::run(Rank& me, const StepOptions& options) {
  settle(me);
  Step& step = me.job.step();
  if (step.held()) {
    return false;
  }
  me.in_step = true;
  ++me.steps;
  const std::uint64_t gate = gate_of(me);
  step.arrive(me, options);
  step.barrier_.wait(me, gate - 1);
  if (step.barrier_.is_open(gate)) {
    me.in_step = false;
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
    if (leaves) {
      Worker& here = *Worker::current();
      leave_worker(here, me);
      here.leave(me, [](Worker& from, RankContext& rank) {
        Rank& left = rank_of(rank);
        left.job.step().has_left(from, left);
      });
    } else {
      move_to(me, me.job.worker(target - step.cluster_.first_worker(step.cluster_.self())));
    }
  }
  Rank& arrived = *current_rank();
  if (Client* const its = arrived.job.client(); moves && its != nullptr) {
    its->just_moved(arrived, leaves);
  }
  Step& new_step = arrived.job.step();
  new_step.part_done();
  new_step.barrier_.wait(arrived, gate_of(arrived));
  current_rank()->in_step = false;
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
  if (options.balance && cluster_.count() > 1) {
    bytes_[number(me.id)] = me.job.program().bytes_to_move(me.id, __builtin_frame_address(0));
  }
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 != me.job.state_->live_ranks.load()) {
    return;
  }
  arrived_.store(0, std::memory_order_relaxed);
  tell_loads(me, options);
}

// Every rank of this process waits at the gate or is about to.
void Step::tell_loads(const Rank& last, const StepOptions& options) {
  Job& job = cluster_.job();
  StepArrival arrival;
  arrival.call = last.migrate_calls;
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
    ++arrival.live;
    arrival.ranks.push_back({.seconds = rank.load.take_seconds(),
                             .rank = r,
                             .worker = home,
                             .wanted = rank.take_wanted(home),
                             .may_leave = why == nullptr && job.config().ranks_may_leave,
                             .bytes = bytes_[r],
                             .supersteps = supersteps_ ? supersteps_->take(r) : std::vector<SuperstepReport>()});
    if (rank.traffic != nullptr) {
      for (const auto& [to, sent] : rank.traffic->by_receiver()) {
        arrival.edges.push_back({.from = r, .to = to, .messages = sent.messages, .bytes = sent.bytes});
      }
      rank.traffic->clear();
    }
  }
  if (options.balance) {
    add_workers(arrival);
    if (tree_ != nullptr) {
      const Guard guard(*this);
      tree_->begin(steps_ + 1, arrival);
      return;
    }
  }
  if (tree_ != nullptr) {
    arrival.ranks.clear();
  }
  control_.send_control(kFirst, std::move(arrival));
}

void Step::add_workers(StepArrival& arrival) {
  Job& job = cluster_.job();
  arrival.process = number(cluster_.self());
  arrival.host = job.config().host_of(arrival.process);
  for (const IntervalLoad& window : windows_.next(job.workers())) {
    const auto core = job.worker(static_cast<std::uint32_t>(arrival.workers.size())).meter().core();
    arrival.workers.push_back({.window = window, .numa = core ? numa_of(*core) : 0});
  }
}

StepArrival Step::empty_arrival() {
  StepArrival arrival;
  add_workers(arrival);
  return arrival;
}

void Step::on_control(ProcessId from, ControlKind kind, std::span<const std::byte> body) {
  using Own = ControlMessages<StepArrival, StepPlan, FlushMarker, MigrationImage, RankInstalled, CheckpointPart,
                              MovesDone, StepOver, HoldRequest, HoldSteps>;
  using All = Own::With<StepTree::Messages>::With<LinkProbe::Messages>;
  static_assert(All::are_all_of(ControlPart::step));
  All::dispatch(kind, body, [&](auto message) {
    using Message = decltype(message);
    if constexpr (StepTree::Messages::has(Message::kKind)) {
      base::check(tree_ != nullptr, "a message of a step in parts, where process 0 decides");
      tree_->on_message(from, steps_ + 1, message);
    } else if constexpr (LinkProbe::Messages::has(Message::kKind)) {
      probe_.on(from, message);
    } else {
      on(from, message);
    }
  });
}

void Step::on(ProcessId /*from*/, const FlushMarker& marker) {
  ++markers_[marker.answers ? 1 : 0];
  advance();
}

void Step::on(ProcessId from, MigrationImage& image) {
  offers_.push_back({from, std::move(image)});
  take_offers();
}

void Step::on(ProcessId /*from*/, const RankInstalled& installed) {
  cluster_.job().state_->post([this, rank = RankId{installed.rank}] {
    // Nobody waits for this: it is done before this thread takes the rank in again.
    part_done();
    cluster_.job().program().left(rank);
  });
}

void Step::on(ProcessId /*from*/, const StepOver& /*over*/) {
  moving_ = false;
  open(2 * steps_);
}

void Step::on(ProcessId /*from*/, const HoldSteps& /*hold*/) { hold("threads of ranks call MPI"); }

// An image may come from a process whose flush was over before this one's.
void Step::take_offers() {
  if (!moving_) {
    return;
  }
  for (Offer& offer : std::exchange(offers_, {})) {
    cluster_.job().state_->post([this, offer = std::move(offer)] { install(offer.image, offer.from); });
  }
}

void Step::on(ProcessId /*from*/, const StepPlan& plan) {
  Job& job = cluster_.job();
  ++steps_;
  job.next_balance_.store(plan.next_balance, std::memory_order_relaxed);
  const std::vector<NewHome> quiet =
      tree_ != nullptr && plan.balanced ? tree_->quiet_moves(plan.choice) : std::vector<NewHome>();
  if (tree_ != nullptr) {
    tree_->ended(plan.choice, plan.call, plan.changes, steps_ + 1);
  }
  if (!plan.moves && plan.checkpoint.empty()) {
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
  for (const auto* const changes : {&plan.changes, &quiet}) {
    for (const NewHome& change : *changes) {
      planned_[change.rank] = change.worker;
      changed_.push_back(change.rank);
      crosses_ = crosses_ || cluster_.process_of(change.worker) != job.rank(change.rank).process;
    }
  }
  if (crosses_ || job.config().repack || !checkpoint_.empty()) {
    flush_ = Flush::messages;
    control_.send_control_to_all(FlushMarker{});
  } else {
    start_moves();
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
    job.termination().ranks_ended(job.state_->ended_ranks.exchange(0));
  }
  unfinished_.store(parts, std::memory_order_release);
  moving_ = true;
  if (leaving + coming != 0 && job.config().ranks_moved) {
    job.state_->post([&job] { job.config().ranks_moved(job); });
  }
  open(2 * steps_ - 1);
  take_offers();
  if (parts == 0) {
    control_.send_control(kFirst, MovesDone{});
  }
}

void Step::part_done() {
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    control_.send_control(kFirst, MovesDone{});
  }
}

void Step::hold() {
  const Guard guard(*this);
  hold("the job spawns ranks");
}

void Step::hold_for_threads() {
  if (!held()) {
    control_.send_control_to_all(HoldSteps{});
  }
}

void Step::wish_to_hold() { control_.send_control(kFirst, HoldRequest{}); }

void Step::hold(const char* why) {
  const JobConfig& config = cluster_.job().config();
  if (held_.exchange(true, std::memory_order_acq_rel)) {
    return;
  }
  open(kNoGate);
  if (cluster_.self() == kFirst && (config.lb != "none" || !config.checkpoint.empty())) {
    std::fputs(
        fmt::format("weft: {}: from here on ranks stay where they are, and no checkpoint is written\n", why).c_str(),
        stderr);
  }
}

void Step::open(std::uint64_t gate) {
  if (!held() || gate == kNoGate) {  // else all are open for good
    barrier_.open(gate, cluster_.job().workers());
  }
}

void Step::has_left(const Worker& from, Rank& rank) {
  if (Recorder* const recorder = from.recorder(); recorder != nullptr && checkpoint_.empty()) {
    recorder->moves(rank.id, planned_[number(rank.id)]);
  }
  cluster_.job().state_->post([this, &rank] {
    if (checkpoint_.empty()) {
      send(rank);
    } else {
      save(rank);
    }
  });
}

}  // namespace weft::runtime
