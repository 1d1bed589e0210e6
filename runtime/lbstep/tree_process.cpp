#include "runtime/lbstep/tree_process.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "lb/decider.hpp"
#include "lb/loads.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/lbstep/step_messages.hpp"
#include "runtime/setup/config.hpp"

namespace weft::runtime {
inline namespace lbstep {

TreeProcess::TreeProcess(const JobContext& job, const lb::Strategy& inner)
    : job_(job),
      inner_(inner),
      model_(lb::make_load_model(job.config.lb_model)),
      reports_homes_(!job.config.lb_report.empty()) {}

void TreeProcess::begin(const StepArrival& arrival) {
  load_ = {};
  rank_facts_.clear();
  left_.clear();
  arriving_histories_.clear();
  local_moves_.assign(lb::kMoveScopes, {});
  sums_ = {};
  sums_.processes = 1;
  sums_.call = arrival.call;
  sums_.checkpoint = arrival.checkpoint;
  sums_.image = arrival.image;
  sums_.pinned = arrival.pinned;
  sums_.private_bytes = arrival.private_bytes;
  if (arrival.evacuates) {
    sums_.evacuating.push_back(arrival.process);
  }
  add_workers(arrival);
  add_ranks(arrival);
  sent_ = arrival.edges;
  std::sort(sent_.begin(), sent_.end(),
            [](const auto& a, const auto& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  add_edges(load_.instance);
  add_outward();
}

void TreeProcess::add_workers(const StepArrival& arrival) {
  const std::uint32_t self = number(job_.cluster.self());
  const std::uint32_t first = job_.cluster.first_worker(job_.cluster.self());
  for (const WorkerReport& report : arrival.workers) {
    const lb::Place place{.numa = arrival.host << 16U | report.numa, .process = self, .host = arrival.host};
    load_.place = place;
    load_.instance.workers.push_back(
        {.speed = report.interval.speed, .background_seconds = report.interval.contended, .place = place});
    sums_.workers.push_back({.worker = first + static_cast<std::uint32_t>(sums_.workers.size()),
                             .ranks = 0,
                             .place = place,
                             .interval = report.interval,
                             .work = 0});
  }
}

void TreeProcess::add_ranks(const StepArrival& arrival) {
  const std::uint32_t first = job_.cluster.first_worker(job_.cluster.self());
  const double calls = lb::calls_of_interval(last_call_, arrival.call);
  add_interval(arrival.ranks, calls);
  const std::vector<double> work = lb::predict_interval(*model_, history_of(arrival.ranks), calls);
  StepSums at_first;
  for (std::size_t i = 0; i < arrival.ranks.size(); ++i) {
    const RankReport& rank = arrival.ranks[i];
    const std::uint32_t worker = rank.worker - first;
    const double speed = load_.instance.workers[worker].speed;
    load_.instance.ranks.push_back({.rank = RankId{rank.rank},
                                    .home = WorkerId{worker},
                                    .seconds = work[i] / speed,
                                    .bytes = rank.bytes,
                                    .may_move = rank.may_leave});
    rank_facts_[rank.rank] = {.home = rank.worker,
                              .wanted = rank.wanted,
                              .work = lb::work_of(load_.instance, load_.instance.ranks.back()),
                              .may_leave = rank.may_leave,
                              .bytes = rank.bytes};
    ++sums_.workers[worker].ranks;
    sums_.workers[worker].work += rank.seconds;
    at_first.at_first_homes.push_back({histories_.at(rank.rank).first_home, rank.seconds});
    if (reports_homes_) {
      sums_.homes.push_back({rank.rank, rank.worker});
    }
  }
  sums_.add(at_first);
}

// Both ends of an edge count it, including edges within this process.
void TreeProcess::add_outward() {
  if (sent_.empty()) {
    return;
  }
  const std::uint32_t self = number(job_.cluster.self());
  const std::vector<lb::RankLoad>& ranks = load_.instance.ranks;
  load_.outward.resize(ranks.size());
  std::unordered_map<std::uint32_t, std::uint32_t> local;
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    local[number(ranks[i].rank)] = i;
  }
  for (const EdgeReport& edge : sent_) {
    const std::uint32_t there = number(job_.ranks[edge.to].process);
    load_.outward[local.at(edge.from)].push_back({there, edge.messages, edge.bytes});
    if (there == self) {
      load_.outward[local.at(edge.to)].push_back({self, edge.messages, edge.bytes});
    }
  }
}

// Adds the work of the ranks that are here now, at speed 1 and for each call, to their histories, and drops the
// histories of other ranks.
void TreeProcess::add_interval(std::span<const RankReport> ranks, double calls) {
  std::unordered_map<std::uint32_t, RankHistory> history;
  for (const RankReport& rank : ranks) {
    // Rounds in the same way as lb::measured_work().
    const lb::WorkerLoad& worker = load_.instance.workers[rank.worker - job_.cluster.first_worker(job_.cluster.self())];
    const double work = rank.seconds / worker.speed * worker.speed / calls;
    const auto before = histories_.find(rank.rank);
    RankHistory& now = history[rank.rank];
    now = before != histories_.end() ? std::move(before->second)
                                     : RankHistory{.first_home = rank.worker, .intervals = {}};
    now.intervals.push_back(work);
    if (now.intervals.size() > model_->depth()) {
      now.intervals.erase(now.intervals.begin());
    }
  }
  histories_ = std::move(history);
}

// The histories of these ranks, in their order.
lb::LoadHistory TreeProcess::history_of(std::span<const RankReport> ranks) const {
  std::size_t intervals = 1;
  for (const RankReport& rank : ranks) {
    intervals = std::max(intervals, histories_.at(rank.rank).intervals.size());
  }
  lb::LoadHistory history(model_->depth());
  for (std::size_t t = intervals; t > 0; --t) {
    lb::LoadInterval interval;
    for (const RankReport& rank : ranks) {
      // Intervals before a rank's first known one are taken to be like that one.
      const std::vector<double>& its = histories_.at(rank.rank).intervals;
      interval.work.push_back(its[its.size() - std::min(t, its.size())]);
      if (t == 1) {  // LoadInterval::given counts in the last interval only
        interval.given.push_back(rank.is_declared ? interval.work.back() : -1.0);
      }
    }
    history.add(std::move(interval));
  }
  return history;
}

void TreeProcess::add_edges(lb::Instance& instance) const {
  instance.edges.clear();
  if (sent_.empty()) {
    return;
  }
  std::unordered_map<std::uint32_t, std::uint32_t> local;
  for (std::uint32_t i = 0; i < instance.ranks.size(); ++i) {
    local[number(instance.ranks[i].rank)] = i;
  }
  for (const EdgeReport& edge : sent_) {
    const auto from = local.find(edge.from);
    const auto to = local.find(edge.to);
    if (from != local.end() && to != local.end()) {
      instance.edges.push_back(
          {.from = from->second, .to = to->second, .messages = edge.messages, .bytes = edge.bytes});
    }
  }
}

std::map<std::uint32_t, std::vector<ReceivedReport>> TreeProcess::sent() const {
  std::map<std::uint32_t, ReceivedReport> sums;  // by rank
  for (const EdgeReport& edge : sent_) {
    ReceivedReport& sum = sums[edge.to];
    sum.rank = edge.to;
    sum.messages += edge.messages;
    sum.bytes += edge.bytes;
  }
  std::map<std::uint32_t, std::vector<ReceivedReport>> by_process;
  for (const auto& [rank, sum] : sums) {
    if (job_.ranks[rank].process != job_.cluster.self()) {
      by_process[number(job_.ranks[rank].process)].push_back(sum);
    }
  }
  return by_process;
}

void TreeProcess::received(std::uint32_t from, std::span<const ReceivedReport> reports) {
  load_.outward.resize(load_.instance.ranks.size());
  for (const ReceivedReport& report : reports) {
    const auto& ranks = load_.instance.ranks;
    const auto at = std::lower_bound(ranks.begin(), ranks.end(), report.rank,
                                     [](const auto& rank, std::uint32_t id) { return number(rank.rank) < id; });
    load_.outward[static_cast<std::size_t>(at - ranks.begin())].push_back({from, report.messages, report.bytes});
  }
}

const lb::Summary& TreeProcess::summarize(const lb::Links& links) {
  load_.instance.links = links;
  summary_ = lb::summarize(load_, lb::kMostClusters);
  return summary_;
}

std::map<std::uint32_t, std::vector<MovingRank>> TreeProcess::leave(const ProcessTargets& targets) {
  load_.instance.seconds_per_move = targets.per_move;
  load_.instance.seconds_per_moved_byte = targets.per_byte;
  after_ = load_.instance;
  std::map<std::uint32_t, std::vector<MovingRank>> leaving;
  for (const auto& [there, migrants] :
       extract_migrants(after_, number(job_.cluster.self()), summary_.clusters, targets.to)) {
    for (const lb::Migrant& migrant : migrants) {
      const std::uint32_t rank = number(migrant.rank.rank);
      const RankFacts& known = rank_facts_.at(rank);
      MovingRank& moving = leaving[there].emplace_back();
      moving.migrant = migrant;
      moving.home = known.home;
      moving.wanted = known.wanted;
      moving.history = histories_.at(rank);
      const auto of_rank = std::equal_range(sent_.begin(), sent_.end(), EdgeReport{.from = rank},
                                            [](const auto& a, const auto& b) { return a.from < b.from; });
      moving.sent.assign(of_rank.first, of_rank.second);
      left_[rank] = there;
    }
  }
  return leaving;
}

StepSums TreeProcess::place_arrivals(const std::map<std::uint32_t, std::vector<MovingRank>>& arrivals) {
  sums_.outcomes.resize(lb::kMoveScopes);
  const auto note = [this](lb::MoveScope scope, const lb::Instance& instance, const lb::Plan& plan) {
    const auto at = static_cast<std::size_t>(scope);
    sums_.outcomes[at] = outcome(instance, plan, local_moves_[at]);
  };
  note(lb::MoveScope::stay, load_.instance, lb::homes_of(load_.instance));
  const lb::Plan within = inner_.solve(load_.instance);
  note(lb::MoveScope::within_processes, load_.instance, within);
  if (arrivals.empty() && left_.empty()) {
    note(lb::MoveScope::anywhere, load_.instance, within);
    return std::move(sums_);
  }
  std::vector<lb::Migrant> migrants;
  for (const auto& [from, ranks] : arrivals) {
    for (const MovingRank& moving : ranks) {
      const lb::RankLoad& rank = moving.migrant.rank;
      migrants.push_back(moving.migrant);
      rank_facts_[number(rank.rank)] = {.home = moving.home,
                                        .wanted = moving.wanted,
                                        .work = moving.migrant.work,
                                        .may_leave = rank.may_move,
                                        .bytes = rank.bytes};
      arriving_histories_[number(rank.rank)] = moving.history;
      sent_.insert(sent_.end(), moving.sent.begin(), moving.sent.end());
    }
  }
  std::sort(sent_.begin(), sent_.end(),
            [](const auto& a, const auto& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  lb::insert_migrants(after_, migrants);
  add_edges(after_);
  note(lb::MoveScope::anywhere, after_, inner_.solve(after_));
  return std::move(sums_);
}

PlanOutcome TreeProcess::outcome(const lb::Instance& instance, const lb::Plan& plan,
                                 std::vector<NewHome>& local_moves) const {
  const std::uint32_t first = job_.cluster.first_worker(job_.cluster.self());
  PlanOutcome result;
  // In the order of ranks: then the sums equal those of the whole job's plan to the last bit, and so do decisions.
  std::vector<std::uint32_t> order(plan.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return instance.ranks[a].rank < instance.ranks[b].rank; });
  std::vector<double> work(instance.workers.size());
  PlanOutcome carried_out;
  for (const std::uint32_t i : order) {
    const std::uint32_t rank = number(instance.ranks[i].rank);
    const RankFacts& known = rank_facts_.at(rank);
    const std::uint32_t planned = first + number(plan[i]);
    const ProcessId here = job_.cluster.process_of(known.home);
    work[number(plan[i])] += known.work;
    result.planned_moves += planned != known.home ? 1 : 0;
    result.planned_bytes += job_.cluster.self() != here ? known.bytes : 0;
    const std::uint32_t wanted = known.wanted != Rank::kAnyWorker ? known.wanted : planned;
    const bool crosses = job_.cluster.process_of(wanted) != here;
    const std::uint32_t target = lb::can_move(crosses, job_.config.repack, known.may_leave) ? wanted : known.home;
    carried_out.work.push_back({target, known.work});
    if (target == known.home) {
      continue;
    }
    ++result.moves;
    result.crossings += crosses ? 1 : 0;
    result.bytes += crosses ? known.bytes : 0;
    if (crosses || here != job_.cluster.self()) {
      result.announced_moves.push_back({rank, target});
    } else {
      local_moves.push_back({rank, target});
    }
  }
  result.local_moves = reports_homes_ ? local_moves : std::vector<NewHome>();
  for (const lb::RankLoad& rank : instance.ranks) {
    const auto worker = number(plan[static_cast<std::size_t>(&rank - instance.ranks.data())]);
    const lb::WorkerLoad& load = instance.workers[worker];
    result.longest = std::max(result.longest, work[worker] / load.speed + load.background_seconds);
  }
  result.add(carried_out);
  return result;
}

std::map<std::uint32_t, std::vector<TransferredHistory>> TreeProcess::ended(lb::MoveScope scope, std::uint64_t call,
                                                                            std::span<const NewHome> announced_moves) {
  last_call_ = call;
  if (scope == lb::MoveScope::anywhere) {
    for (auto& [rank, history] : arriving_histories_) {
      histories_[rank] = std::move(history);
    }
  } else {
    left_.clear();
  }
  std::map<std::uint32_t, std::vector<TransferredHistory>> elsewhere;
  for (const NewHome& change : announced_moves) {
    const std::uint32_t there = number(job_.cluster.process_of(change.worker));
    const auto history = histories_.find(change.rank);
    const auto left = left_.find(change.rank);
    const bool known_there = left != left_.end() && left->second == there;
    if (history != histories_.end() && there != number(job_.cluster.self()) && !known_there) {
      elsewhere[there].push_back({change.rank, history->second});
    }
  }
  return elsewhere;
}

void TreeProcess::add_histories(std::span<const TransferredHistory> ranks) {
  for (const TransferredHistory& rank : ranks) {
    histories_[rank.rank] = rank.history;
  }
}

}  // namespace lbstep
}  // namespace weft::runtime
