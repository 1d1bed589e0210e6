#include "tools/weft/top_rates.hpp"

#include <algorithm>
#include <utility>

namespace weft::tools::weft_tool {
namespace {

using inspect::Counters;
using inspect::RankCounters;
using inspect::WorkerCounters;

// 0 if the counter has gone back: it may come from another process, and have been read a little earlier there.
template <typename Value>
double rate(Value before, Value now, double seconds) {
  return now <= before || seconds <= 0 ? 0 : static_cast<double>(now - before) / seconds;
}

double share(double part, double seconds) { return seconds <= 0 ? 0 : std::clamp(part / seconds, 0.0, 1.0); }

lb::ThreadTimes thread_times(const WorkerCounters& of) {
  return {.at = of.at, .ran = of.ran, .slept = of.slept, .blocked = of.blocked, .waited = of.waited};
}

void add(TopTotals& totals, const RankRow& rank) {
  ++totals.by_activity.at(static_cast<std::size_t>(rank.activity));
  totals.load += rank.cpu;
  totals.messages += rank.messages;
  totals.bytes += rank.bytes;
  if (rank.memory != RankCounters::kUnknown) {
    totals.memory += rank.memory;
    ++totals.memory_ranks;
  }
  totals.moves += rank.moves;
}

}  // namespace

TopView TopRates::next(const std::vector<Counters>& answers) {
  TopView view;
  std::unordered_map<std::uint32_t, std::size_t> row_of;
  for (const Counters& answer : answers) {
    view.totals.ended += answer.ended;
    for (const WorkerCounters& worker : answer.workers) {
      row_of[worker.worker] = view.workers.size();
      view.workers.push_back(worker_row(worker));
      view.workers.back().process = answer.process.process;
    }
    for (const RankCounters& rank : answer.ranks) {
      const RankRow& row = view.ranks.emplace_back(rank_row(answer, rank));
      add(view.totals, row);
      if (const auto its = row_of.find(row.worker); its != row_of.end()) {
        WorkerRow& worker = view.workers[its->second];
        ++worker.ranks;
        worker.load = std::min(1.0, worker.load + row.cpu);
      }
    }
  }
  const double before = std::exchange(queried_at_, answers.empty() ? queried_at_ : answers.front().at);
  view.seconds = before == 0 ? 0 : std::max(0.0, queried_at_ - before);
  return view;
}

RankRow TopRates::rank_row(const Counters& answer, const RankCounters& now) {
  const auto [known, is_new] = ranks_.try_emplace(now.rank, RankBefore{answer.at, now});
  const RankBefore before = std::exchange(known->second, RankBefore{answer.at, now});
  const double seconds = answer.at - before.at;
  return {.rank = now.rank,
          .worker = now.worker,
          .process = answer.process.process,
          .activity = now.activity,
          .call = now.call < answer.calls.size() ? answer.calls[now.call] : std::string(),
          .cpu = share(now.seconds - before.counters.seconds, seconds),
          .messages = rate(before.counters.messages, now.messages, seconds),
          .bytes = rate(before.counters.bytes, now.bytes, seconds),
          .memory = now.memory,
          .moves = now.moves,
          .seconds = now.seconds,
          .total_messages = now.messages,
          .total_bytes = now.bytes};
}

WorkerRow TopRates::worker_row(const WorkerCounters& now) {
  WorkerRow row{.worker = now.worker};
  const lb::CoreUse use{.idle = now.core_idle, .stolen = now.core_stolen};
  const lb::CoreUse* const core = now.is_bound ? &use : nullptr;
  const auto [known, is_new] = workers_.try_emplace(now.worker);
  WorkerBefore& its = known->second;
  if (is_new) {
    its.interval.begin(thread_times(now), core);
  } else {
    const double seconds = now.at - its.counters.at;
    row.background = share(its.interval.next(thread_times(now), core, now.is_bound).background, seconds);
    row.asleep = share(now.slept - its.counters.slept, seconds);
  }
  its.counters = now;
  return row;
}

}  // namespace weft::tools::weft_tool
