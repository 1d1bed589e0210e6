#include "sim/balancing.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "lb/loads.hpp"
#include "lb/migbsp_history.hpp"

namespace weft::sim {
namespace {

// As in runtime/sched/interval_meters.cpp.
constexpr Seconds kBetweenCoreReads = 0.1;

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

lb::Link link_of(const LinkCost& cost) {
  return {.seconds_per_message = 2 * cost.overhead + cost.latency,
          .seconds_per_byte = cost.per_byte + 2 * cost.copy_per_byte};
}

// By lb::Distance, which has no sites: the link within the first site stands for all links between hosts.
lb::Links links_of(const Platform& platform) {
  return {link_of(platform.near[0]), link_of(platform.near[1]), link_of(platform.near[2]), link_of(platform.near[3]),
          link_of(platform.within_site.front())};
}

// Prices of a move over the slowest link between hosts.
lb::MoveCost::Prices prices_of(const Platform& platform) {
  Seconds per_byte = 0.0;
  for (const LinkCost& link : platform.within_site) {
    per_byte = std::max(per_byte, link.per_byte);
  }
  for (const Trunk& trunk : platform.trunks) {
    per_byte = std::max(per_byte, trunk.cost.per_byte);
  }
  return {.per_move = platform.move_cost, .per_byte = per_byte, .step = platform.step_cost};
}

lb::DeciderOptions decider_options(const Platform& platform, lb::DeciderOptions options) {
  options.links = links_of(platform);
  if (platform.move_cost_known) {
    options.move_prices = prices_of(platform);
  }
  return options;
}

}  // namespace

Balancing::Balancing(const Platform& platform, const ReplayOptions& options, SimState& state, Messaging& messaging)
    : platform_(platform),
      state_(state),
      messaging_(messaging),
      decider_(decider_options(platform, options.balancing)),
      next_call_(options.balancing.strategy == "none" ? kNever : decider_.next_call()),
      keeps_iterations_(options.keep_iterations),
      keeps_supersteps_(lb::looks_at_patterns(options.balancing.strategy)) {}

void Balancing::begin(std::size_t ranks) {
  ranks_.resize(ranks);
  meters_.resize(state_.workers.size());
  for (lb::IntervalMeter& meter : meters_) {
    const lb::CoreUse unused;
    meter.begin({}, &unused);
  }
  if (decider_.strategy().wants_edges() || keeps_supersteps_) {
    messaging_.count_traffic(keeps_supersteps_);
  }
}

bool Balancing::call(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  MigrateCalls& calls = ranks_[number];
  ++calls.calls;
  calls.bytes = action.value;
  calls.may_move = (action.detail & kMayMove) != 0;
  const bool listed = (action.detail & kLoadListed) != 0;
  const Seconds load = listed ? static_cast<double>(*rank.values++) : rank.load - calls.counted;
  if (listed) {
    calls.given = std::max(calls.given, 0.0) + load;
  }
  if (keeps_iterations_ || keeps_supersteps_) {
    end_superstep(number, load);
  }
  if (calls.calls < next_call_) {
    return false;
  }
  ++arrived_;
  begin_ = std::max(begin_, state_.worker_of(number).now);
  return true;
}

void Balancing::end_superstep(std::uint32_t number, Seconds load) {
  const RankState& rank = state_.ranks[number];
  MigrateCalls& calls = ranks_[number];
  const Seconds work = rank.load - std::exchange(calls.counted, rank.load);
  if (keeps_iterations_) {
    if (iterations_.size() < calls.calls) {
      iterations_.resize(calls.calls, std::vector<float>(state_.workers.size()));
      iteration_ends_.resize(calls.calls);
    }
    iteration_ends_[calls.calls - 1].add(state_.worker_of(number).now);
    iterations_[calls.calls - 1][state_.homes[number]] += static_cast<float>(work);
  }
  if (keeps_supersteps_) {
    if (calls.supersteps.size() == kMostSupersteps) {
      calls.supersteps.erase(calls.supersteps.begin());
    }
    calls.supersteps.push_back({.work = load, .sent = messaging_.traffic()->take_superstep(number)});
  }
}

std::vector<Seconds> Balancing::iteration_ends() const {
  std::vector<Seconds> means;
  std::ranges::transform(iteration_ends_, std::back_inserter(means),
                         [](const MeanTime& ends) { return ends.sum / static_cast<double>(ends.count); });
  return means;
}

lb::Observation Balancing::measure() {
  lb::Observation observation(state_.ranks.size(), state_.workers.size());
  observation.call = std::ranges::max(ranks_, {}, &MigrateCalls::calls).calls;
  const bool reads_cores = begin_ - cores_read_at_ >= kBetweenCoreReads;
  cores_read_at_ = reads_cores ? begin_ : cores_read_at_;
  for (std::uint32_t number = 0; number < state_.workers.size(); ++number) {
    const WorkerPlace& place = state_.places[number];
    observation.add_worker(WorkerId{number}, measure_worker(number, reads_cores),
                           {place.numa, place.process, place.host, place.site});
  }
  for (std::uint32_t number = 0; number < state_.ranks.size(); ++number) {
    measure_rank(number, observation);
  }
  if (decider_.strategy().wants_edges()) {
    observation.measured.edges = messaging_.traffic()->take_edges();
  }
  return observation;
}

// The runtime has no speeds of hosts; the simulator charges work at speed 1, so the worker's speed includes the core's.
trace::WorkerInterval Balancing::measure_worker(std::uint32_t number, bool with_core) {
  const CoreShare& core = state_.workers[number].core;
  const lb::CoreUse use = core.core_until(begin_);
  trace::WorkerInterval interval = meters_[number].next(core.thread_until(begin_), with_core ? &use : nullptr, true);
  interval.speed *= core.speed();
  return interval;
}

void Balancing::measure_rank(std::uint32_t number, lb::Observation& observation) const {
  const RankState& rank = state_.ranks[number];
  const MigrateCalls& calls = ranks_[number];
  const bool lives = rank.status != RankStatus::ended;
  observation.add_rank({.rank = RankId{number},
                        .home = WorkerId{state_.homes[number]},
                        .work = !lives               ? 0.0
                                : calls.given >= 0.0 ? calls.given
                                                     : rank.load,
                        .bytes = calls.bytes,
                        .may_leave = calls.may_move && lives});
  for (std::size_t t = 0; t < calls.supersteps.size(); ++t) {
    observation.add_superstep(t, RankId{number}, calls.supersteps[t]);
  }
}

// REQUIRES: all ranks have arrived.
bool Balancing::begin_step() {
  lb::Observation observation = measure();
  step_ = {.call = observation.call,
           .at = begin_,
           .before = lb::longest_seconds(observation.measured, lb::homes_of(observation.measured))};
  decider_.observe(std::move(observation));
  const lb::Decision decision = decider_.decide();
  next_call_ = decider_.next_call();
  step_.moves = decision.moves.ranks;
  step_.bytes = decision.moves.bytes;
  step_.after = lb::longest_seconds(decider_.predicted(), decision.homes);
  step_begun_ = true;
  move_ranks(decision, begin_ + platform_.step_cost);
  return true;
}

// A worker packs the ranks that leave it and unpacks those that arrive, one at a time.
void Balancing::move_ranks(const lb::Decision& decision, Seconds begin) {
  std::map<std::uint32_t, Seconds> busy;
  end_ = begin;
  messaging_.begin_moves(begin);
  for (const RankId moving : decision.moving) {
    std::uint32_t& home = state_.homes[number(moving)];
    const std::uint32_t from = home;
    const std::uint32_t to = number(decision.homes[number(moving)]);
    const Seconds packed = busy.try_emplace(from, begin).first->second += platform_.move_cost;
    const Seconds unpacked = busy.try_emplace(to, begin).first->second += platform_.move_cost;
    end_ = std::max({end_, packed, unpacked});
    if (state_.places[from].process != state_.places[to].process) {
      messaging_.move(from, to, ranks_[number(moving)].bytes, packed);
    }
    if (state_.timeline != nullptr) {
      state_.timeline->moved(number(moving), from, to, begin);
    }
    step_.migrations.push_back({.rank = number(moving), .from = from, .to = to});
    --state_.workers[from].ranks;
    ++state_.workers[to].ranks;
    home = to;
    // The caches of its new worker hold none of its data.
    state_.ranks[number(moving)].computed_before = -std::numeric_limits<Seconds>::infinity();
  }
}

bool Balancing::end_step() {
  const Seconds end = std::max(end_, messaging_.last_move_end());
  for (std::uint32_t number = 0; number < state_.ranks.size(); ++number) {
    RankState& rank = state_.ranks[number];
    rank.load = 0.0;
    ranks_[number].counted = 0.0;
    ranks_[number].given = -1.0;
    ranks_[number].supersteps.clear();
    if (rank.status != RankStatus::ended) {
      state_.events.add(end, SimEventKind::wake, number);
    }
  }
  step_.seconds = end - begin_;
  decider_.record_cost(step_.seconds);
  if (state_.timeline != nullptr) {
    state_.timeline->balanced(begin_, end);
  }
  steps_.push_back(step_);
  arrived_ = 0;
  step_begun_ = false;
  begin_ = 0.0;
  return true;
}

}  // namespace weft::sim
