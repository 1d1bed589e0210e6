#include "sim/balancing.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "lb/loads.hpp"

namespace weft::sim {
namespace {

lb::Link link_of(const LinkCost& cost) {
  return {.seconds_per_message = 2 * cost.overhead + cost.latency,
          .seconds_per_byte = cost.per_byte + 2 * cost.copy_per_byte};
}

// By lb::Distance, which knows no sites: the first one's link stands for all.
lb::Links links_of(const Platform& platform) {
  return {link_of(platform.near[0]), link_of(platform.near[1]), link_of(platform.near[2]), link_of(platform.near[3]),
          link_of(platform.within_site.front())};
}

}  // namespace

Balancing::Balancing(const Platform& platform, const ReplayOptions& options, SimState& state, Messaging& messaging)
    : platform_(platform),
      state_(state),
      messaging_(messaging),
      rule_(options.balancing, links_of(platform)),
      keeps_iterations_(options.keep_iterations) {
  if (rule_.wants_edges()) {
    messaging_.count_traffic();
  }
}

bool Balancing::call(std::uint32_t number, const Action& action) {
  ranks_.resize(state_.ranks.size());
  RankState& rank = state_.ranks[number];
  RankCalls& calls = ranks_[number];
  ++calls.calls;
  calls.bytes = action.value;
  calls.may_move = (action.detail & kMayMove) != 0;
  if ((action.detail & kLoadListed) != 0) {
    calls.given = std::max(calls.given, 0.0) + static_cast<double>(*rank.values++);
  }
  if (keeps_iterations_) {
    count_iteration(number);
  }
  if (!rule_.is_due(calls.calls)) {
    return false;
  }
  ++arrived_;
  begin_ = std::max(begin_, state_.worker_of(rank).now);
  return true;
}

void Balancing::count_iteration(std::uint32_t number) {
  const RankState& rank = state_.ranks[number];
  RankCalls& calls = ranks_[number];
  if (iterations_.size() < calls.calls) {
    iterations_.resize(calls.calls, std::vector<float>(state_.workers.size()));
  }
  iterations_[calls.calls - 1][rank.worker] += static_cast<float>(rank.load - calls.counted);
  calls.counted = rank.load;
}

lb::Instance Balancing::measure() {
  lb::Instance measured;
  for (WorkerState& worker : state_.workers) {
    measured.workers.push_back({.speed = worker.core.speed(),
                                .background_seconds = worker.core.contended_until(begin_),
                                .place = {worker.place.numa, worker.place.process, worker.place.host}});
  }
  for (std::uint32_t number = 0; number < state_.ranks.size(); ++number) {
    const RankState& rank = state_.ranks[number];
    const RankCalls& calls = ranks_[number];
    const Seconds load = rank.status == RankStatus::ended ? 0.0 : calls.given >= 0.0 ? calls.given : rank.load;
    measured.ranks.push_back({.rank = RankId{number},
                              .home = WorkerId{rank.worker},
                              .seconds = load / state_.workers[rank.worker].core.speed(),
                              .bytes = calls.bytes,
                              .may_move = calls.may_move && rank.status != RankStatus::ended});
  }
  if (rule_.wants_edges()) {
    measured.edges = messaging_.take_edges();
  }
  return measured;
}

// All ranks are here.
bool Balancing::begin_step() {
  const lb::Instance measured = measure();
  const std::uint64_t call = std::ranges::max(ranks_, {}, &RankCalls::calls).calls;
  homes_ = rule_.plan(call, measured);
  const lb::Moves moves = lb::moves_of(measured, homes_);
  step_ = {.call = call,
           .at = begin_,
           .moves = moves.ranks,
           .bytes = moves.bytes,
           .before = lb::longest_seconds(measured, lb::homes_of(measured)),
           .after = rule_.after()};
  moves_ = true;
  move_ranks(homes_, begin_ + platform_.step_cost);
  return true;
}

// A worker packs what leaves it and unpacks what comes, a rank at a time.
void Balancing::move_ranks(const lb::Plan& homes, Seconds begin) {
  std::map<std::uint32_t, Seconds> busy;
  end_ = begin;
  messaging_.begin_moves(begin);
  for (std::uint32_t number = 0; number < homes.size(); ++number) {
    RankState& rank = state_.ranks[number];
    const std::uint32_t from = rank.worker;
    const std::uint32_t to = weft::number(homes[number]);
    if (from == to) {
      continue;
    }
    const Seconds packed = busy.try_emplace(from, begin).first->second += platform_.move_cost;
    const Seconds unpacked = busy.try_emplace(to, begin).first->second += platform_.move_cost;
    end_ = std::max({end_, packed, unpacked});
    if (state_.workers[from].place.process != state_.workers[to].place.process) {
      messaging_.move(from, to, ranks_[number].bytes, packed);
    }
    --state_.workers[from].ranks;
    ++state_.workers[to].ranks;
    rank.worker = to;
  }
}

bool Balancing::end_step() {
  const Seconds end = std::max(end_, messaging_.moved());
  for (std::uint32_t number = 0; number < state_.ranks.size(); ++number) {
    RankState& rank = state_.ranks[number];
    rank.load = 0.0;
    ranks_[number].counted = 0.0;
    ranks_[number].given = -1.0;
    if (rank.status != RankStatus::ended) {
      state_.events.add(end, EventKind::wake, number);
    }
  }
  step_.seconds = end - begin_;
  rule_.paid({.moves = step_.moves, .bytes = step_.bytes, .seconds = step_.seconds});
  steps_.push_back(step_);
  arrived_ = 0;
  moves_ = false;
  begin_ = 0.0;
  return true;
}

}  // namespace weft::sim
