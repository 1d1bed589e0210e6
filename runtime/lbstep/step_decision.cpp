// What process 0 does in a step: hears of all ranks, decides, ends the step or the checkpoint.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/lbstep/step.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/timeline/timeline.hpp"

namespace weft::runtime {

void Step::on(ProcessId /*from*/, const StepArrival& arrival) {
  if (held()) {
    return;  // it was under way when ranks were told to go on
  }
  Job& job = cluster_.job();
  if (ranks_heard_ == 0) {
    instance_.ranks.assign(job.rank_count(), {});
    instance_.workers.assign(cluster_.worker_count(), {});
    instance_.edges.clear();
    supersteps_heard_.clear();
    windows_heard_.assign(cluster_.worker_count(), {});
    wanted_.assign(job.rank_count(), Rank::kAnyWorker);
    pinned_.clear();
  }
  note_workers(arrival);
  for (const RankReport& report : arrival.ranks) {
    // What the rank needs where it is, at that worker's speed.
    instance_.ranks[report.rank] = {.rank = RankId{report.rank},
                                    .home = WorkerId{report.worker},
                                    .seconds = report.seconds / instance_.workers[report.worker].speed,
                                    .bytes = report.bytes,
                                    .may_move = report.may_leave};
    wanted_[report.rank] = report.wanted;
    note_supersteps(report);
  }
  ranks_heard_ += arrival.live;
  for (const EdgeReport& edge : arrival.edges) {
    instance_.edges.push_back({.from = edge.from, .to = edge.to, .messages = edge.messages, .bytes = edge.bytes});
  }
  call_ = arrival.call;
  wants_balance_ = arrival.balance;
  wanted_checkpoint_ = arrival.checkpoint;
  pinned_ = pinned_.empty() ? arrival.pinned : pinned_;
  if (ranks_heard_ == job.rank_count()) {
    ranks_heard_ = 0;
    deciding_ = true;
    // What looks at edges takes long, and may want more stack than a rank has.
    if (wants_balance_ && !job.state_->balancer.links_known()) {
      probe_.start(job.state_->balancer.links());
    } else if (wants_balance_ && job.state_->balancer.wants_edges()) {
      post_decision();
    } else {
      decide();
    }
  }
}

void Step::post_decision() {
  cluster_.job().state_->post([this] {
    const Guard guard(*this);
    decide();
  });
}

// In every process; the step goes on.
void Step::on_links(const lb::Links& links) {
  cluster_.job().state_->balancer.set_links(links);
  if (tree_ != nullptr) {
    tree_->links_known();
  } else if (cluster_.self() == ProcessId{} && !held()) {
    post_decision();
  }
}

lb::Links Step::links() const { return cluster_.job().state_->balancer.links(); }

void Step::note_workers(const StepArrival& arrival) {
  std::uint32_t worker = cluster_.first_worker(ProcessId{arrival.process});
  for (const WorkerReport& report : arrival.workers) {
    windows_heard_[worker] = report.window;
    instance_.workers[worker++] = {
        .speed = report.window.speed,
        .background_seconds = report.window.contended,
        .place = {.numa = arrival.host << 16U | report.numa, .process = arrival.process, .host = arrival.host}};
  }
}

void Step::note_supersteps(const RankReport& report) {
  supersteps_heard_.resize(std::max(supersteps_heard_.size(), report.supersteps.size()));
  for (std::size_t t = 0; t < report.supersteps.size(); ++t) {
    lb::Superstep& superstep = supersteps_heard_[t];
    superstep.seconds.resize(instance_.ranks.size());
    superstep.seconds[report.rank] = report.supersteps[t].seconds / instance_.workers[report.worker].speed;
    for (const EdgeReport& edge : report.supersteps[t].sent) {
      superstep.edges.push_back({.from = edge.from, .to = edge.to, .messages = edge.messages, .bytes = edge.bytes});
    }
  }
}

// The step has been worked out in parts.
void Step::on_found(Found& found) {
  if (held()) {
    return;
  }
  found_ = std::move(found);
  call_ = found_.call;
  wants_balance_ = true;
  wanted_checkpoint_ = found_.checkpoint;
  pinned_ = found_.pinned;
  deciding_ = true;
  decide();
}

// Where to, in this step; empty: nowhere.
std::string Step::checkpoint_due() {
  const JobConfig& config = cluster_.job().config();
  const bool due = config.checkpoint_every != 0 && (steps_ + 1) % config.checkpoint_every == 0;
  std::string folder = wanted_checkpoint_;
  if (!config.checkpoint.empty() && (checkpoint_requested_.exchange(false) || due) && folder.empty()) {
    folder = config.checkpoint;
  }
  std::string why = !config.addresses_are_fixed ? "addresses change from run to run; start with --checkpoint" : pinned_;
  if (!folder.empty() && (!why.empty() || !lock(folder, why))) {
    std::fputs(("weft: no checkpoint is written: " + why + "\n").c_str(), stderr);
    folder.clear();
  }
  return folder;
}

bool Step::lock(const std::string& folder, std::string& why) {
  const auto is_it = [&](const std::shared_ptr<FolderLock>& lock) { return lock->is_of(folder); };
  if (std::any_of(locks_.begin(), locks_.end(), is_it)) {
    return true;
  }
  try {
    locks_.push_back(std::make_shared<FolderLock>(folder, FolderLock::For::kWriting));
  } catch (const std::exception& error) {
    why = error.what();
    return false;
  }
  return true;
}

void Step::decide() {
  began_ = ticks();
  StepPlan plan;
  plan.checkpoint = checkpoint_due();
  balanced_ = wants_balance_ && plan.checkpoint.empty();
  if (balanced_ && tree_ != nullptr) {
    Balancer& balancer = cluster_.job().state_->balancer;
    plan.choice = balancer.choose(call_, found_);
    balancer.moves(found_, plan.choice);
    const Outcome& outcome = found_.outcomes[static_cast<std::size_t>(plan.choice)];
    plan.changes = outcome.told;
    plan.moves = outcome.moves > 0;
  } else if (balanced_) {
    plan.changes = balance();
    plan.moves = !plan.changes.empty();
  }
  plan.balanced = balanced_;
  plan.call = call_;
  plan.next_balance = cluster_.job().state_->balancer.next_call();
  index_ = {};
  failure_.clear();
  deciding_ = plan.moves || !plan.checkpoint.empty();
  end_decision(deciding_);
  control_.send_control_to_all(std::move(plan));
  grant_hold();
}

void Step::end_decision(bool moves) {
  if (!moves) {
    pay();
  }
  if (summary_requested_.exchange(false)) {
    // Printing needs more stack than a rank may have.
    cluster_.job().state_->post([this] {
      const Guard guard(*this);
      std::fputs(cluster_.job().state_->balancer.table().c_str(), stderr);
    });
  }
}

// The ranks go on.
void Step::pay() {
  if (std::exchange(balanced_, false)) {
    Balancer& balancer = cluster_.job().state_->balancer;
    balancer.paid(static_cast<double>(ticks() - began_) / ticks_per_second());
    if (Timeline* const timeline = cluster_.job().timeline(); timeline != nullptr) {
      const Balancer::Brief& step = balancer.last_step();
      timeline->step(fmt::format("step {}: {} of {} ranks move", step.number, step.moves, cluster_.job().rank_count()),
                     began_, static_cast<std::int64_t>(100 * step.imbalance));
    }
  }
}

std::vector<NewHome> Step::balance() {
  // As they came they would depend on who came first, and so might the plan.
  std::sort(instance_.edges.begin(), instance_.edges.end(),
            [](const auto& a, const auto& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  Balancer& balancer = cluster_.job().state_->balancer;
  lb::Plan homes = balancer.plan(call_, instance_, windows_heard_, supersteps_heard_);
  std::vector<NewHome> changes;
  for (const lb::RankLoad& rank : instance_.ranks) {
    const std::uint32_t home = number(rank.home);
    const std::uint32_t wanted = wanted_[number(rank.rank)];
    const std::uint32_t target = wanted != Rank::kAnyWorker ? wanted : number(homes[number(rank.rank)]);
    const bool packed = cluster_.process_of(home) != cluster_.process_of(target) || cluster_.job().config().repack;
    if (target != home && (!packed || rank.may_move)) {
      changes.push_back({number(rank.rank), target});
      homes[number(rank.rank)] = WorkerId{target};
    } else {
      homes[number(rank.rank)] = rank.home;
    }
  }
  balancer.moves(homes);
  return changes;
}

void Step::on(ProcessId /*from*/, const CheckpointPart& part) {
  index_.entries.insert(index_.entries.end(), part.entries.begin(), part.entries.end());
  index_.first_context = std::max(index_.first_context, part.first_context);
  failure_ = part.failure.empty() ? failure_ : part.failure;
}

void Step::on(ProcessId /*from*/, const MovesDone& /*done*/) {
  if (++parts_done_ < cluster_.count()) {
    return;
  }
  parts_done_ = 0;
  if (const auto& lock = cluster_.job().config().restart_lock) {
    lock->release();
  }
  pay();
  if (checkpoint_.empty()) {
    go_on();
    return;
  }
  // Files are for the main thread: here a rank's own stack may be short.
  cluster_.job().state_->post([this] {
    publish();
    const Guard guard(*this);
    go_on();
  });
}

// With the lock held.
void Step::go_on() {
  deciding_ = false;
  control_.send_control_to_all(StepOver{});
  grant_hold();
}

void Step::grant_hold() {
  if (wished_hold_ && !deciding_ && !held()) {
    control_.send_control_to_all(HoldSteps{});
  }
}

void Step::on(ProcessId /*from*/, const HoldRequest& /*request*/) {
  wished_hold_ = true;
  grant_hold();
}

// On process 0, once all have written theirs.
void Step::publish() {
  Job& job = cluster_.job();
  const Guard guard(*this);
  try {
    if (!failure_.empty()) {
      throw std::runtime_error(failure_);
    }
    index_.program = job.program().fingerprint();
    index_.ranks = job.rank_count();
    index_.steps = steps_;
    index_.stack_guard = job.config().stack_guard;
    CheckpointWriter::publish(checkpoint_, index_);
    published_ = checkpoint_;
  } catch (const std::exception& error) {
    CheckpointWriter::discard(checkpoint_, steps_);
    std::fputs((std::string("weft: no checkpoint is written: ") + error.what() + "\n").c_str(), stderr);
  }
}

}  // namespace weft::runtime
