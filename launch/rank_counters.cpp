#include "launch/rank_counters.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "launch/held_threads.hpp"
#include "launch/image_program.hpp"
#include "runtime/meter/core_times.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::launch {
namespace {

using inspect::Activity;
using inspect::RankCounters;
using runtime::Rank;
using runtime::Worker;

// Numbers the names of calls, of which there are few: a message contains each name once.
class CallNames {
 public:
  std::uint32_t number_of(const char* call) {
    const auto [known, is_new_address] = by_address_.try_emplace(call, 0);
    if (is_new_address) {
      const auto [named, is_new] = by_name_.try_emplace(call == nullptr ? "" : call, names_.size());
      if (is_new) {
        names_.emplace_back(named->first);
      }
      known->second = static_cast<std::uint32_t>(named->second);
    }
    return known->second;
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::unordered_map<const char*, std::uint32_t> by_address_;
  std::map<std::string_view, std::size_t> by_name_;
  std::vector<std::string> names_;
};

// None for a rank that is not in this process.
std::optional<Activity> activity_of(Rank::State state) {
  switch (state) {
    case Rank::State::parked:
      return Activity::waits;
    case Rank::State::ready:
      return Activity::ready;
    case Rank::State::running:
      return Activity::computes;
    case Rank::State::moving:
      return Activity::moves;
    default:
      return std::nullopt;
  }
}

double in_seconds(std::uint64_t ticks) { return static_cast<double>(ticks) / runtime::ticks_per_second(); }

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

inspect::Progress progress_of(const runtime::Job& job) {
  inspect::Progress progress;
  for (std::uint32_t r = 0; r < job.universe(); ++r) {
    const Rank& rank = job.rank(r);
    progress.done += rank.sent.messages() + rank.completed_calls.load(std::memory_order_relaxed) +
                     (rank.ended.load(std::memory_order_relaxed) ? 1 : 0);
  }
  return progress;
}

RankCounterReader::RankCounterReader(const runtime::Job& job, const ImageProgram& program)
    : job_(job), program_(program), memory_(job.universe(), RankCounters::kUnknown), segments_(job.worker_count()) {}

inspect::Counters RankCounterReader::read() {
  inspect::Counters counters;
  read_workers(counters);
  read_ranks(counters);
  find_blocked(counters);
  read_memory(counters);
  return counters;
}

// To a segment that was there at the last call, adds what the thread has run since: time in which others had the core
// is left out, as it is when the rank is charged. All time of a new segment counts as the rank's.
void RankCounterReader::update_segment(Worker& worker, double ran) {
  RunningSegment& segment = segments_[number(worker.id())];
  const std::uint64_t since = worker.running_since();
  const std::uint64_t now = runtime::ticks();
  const double elapsed = in_seconds(now - std::min(since, now));
  const double before = segment.since == since ? segment.seconds : 0;
  const bool is_worker_thread = worker.threads().count() == 1;  // and none of a rank's
  segment.seconds = is_worker_thread ? std::min(elapsed, before + ran - segment.ran) : elapsed;
  segment.since = since;
  segment.ran = ran;
}

// A rank is charged only when its worker switches: for the rank that runs, adds what it has run so far.
double RankCounterReader::seconds_of(const Rank& rank, const Worker& worker, bool runs) const {
  const RunningSegment& segment = segments_[number(worker.id())];
  const std::uint64_t cycles = rank.load.cycles.load(std::memory_order_relaxed);
  if (runs && worker.running_since() == segment.since) {
    return in_seconds(cycles) + segment.seconds;
  }
  return in_seconds(rank.load.cycles.load(std::memory_order_relaxed));  // it may have been charged just now
}

void RankCounterReader::read_workers(inspect::Counters& counters) {
  const runtime::CoreTable cores = runtime::read_core_times();
  for (Worker* const worker : job_.workers()) {
    const runtime::WorkerMeter& meter = worker->meter();
    const std::optional<runtime::WorkerTimes> times = meter.read();
    if (!times) {
      continue;
    }
    inspect::WorkerCounters& its = counters.workers.emplace_back();
    update_segment(*worker, times->ran);
    its.worker = job_.global_number(*worker);
    its.at = times->at;
    its.ran = times->ran;
    its.slept = times->slept;
    its.blocked = times->blocked;
    its.waited = times->waited;
    const std::optional<std::uint32_t> core = meter.core();
    if (const auto found = core ? cores.find(*core) : cores.end(); found != cores.end()) {
      its.is_bound = true;
      its.core_idle = found->second.idle;
      its.core_stolen = found->second.stolen;
    }
  }
}

void RankCounterReader::read_ranks(inspect::Counters& counters) const {
  CallNames names;
  counters.at = monotonic_seconds();
  counters.ranks.reserve(job_.universe());
  for (std::uint32_t r = 0; r < job_.universe(); ++r) {
    const Rank& rank = job_.rank(r);
    const Worker* const worker = rank.worker.load(std::memory_order_acquire);  // pairs with WorkerWord::set()
    if (worker == nullptr) {
      continue;
    }
    if (rank.ended.load(std::memory_order_acquire)) {  // pairs with RankContext::set_ended()
      ++counters.ended;
      continue;
    }
    Rank::State state{};  // its worker may write `state` and `call` at the same time, each in one store
    __atomic_load(&rank.state, &state, __ATOMIC_RELAXED);
    if (const std::optional<Activity> activity = activity_of(state); activity) {
      counters.ranks.push_back({.rank = r,
                                .worker = job_.global_number(*worker),
                                .activity = *activity,
                                .call = names.number_of(__atomic_load_n(&rank.call, __ATOMIC_RELAXED)),
                                .seconds = seconds_of(rank, *worker, state == Rank::State::running),
                                .messages = rank.sent.messages(),
                                .bytes = rank.sent.bytes(),
                                .memory = RankCounters::kUnknown,
                                .moves = rank.moves.load(std::memory_order_relaxed)});
    }
  }
  counters.calls = names.take();
}

// Finds ranks that block their workers: a worker's thread sleeps on the stack of a rank that runs.
void RankCounterReader::find_blocked(inspect::Counters& counters) const {
  for (Worker* const worker : job_.workers()) {
    const int thread = worker->thread();
    const ThreadStatus status = thread == 0 ? ThreadStatus{} : read_thread_status(thread);
    if (status.state != ThreadStatus::State::sleeps) {
      continue;
    }
    const auto rank = program_.rank_at(reinterpret_cast<const void*>(status.stack_pointer));
    const auto found =
        rank ? std::ranges::lower_bound(counters.ranks, number(*rank), {}, &RankCounters::rank) : counters.ranks.end();
    if (found != counters.ranks.end() && found->rank == number(*rank) && found->activity == Activity::computes) {
      found->activity = Activity::blocked;
    }
  }
}

void RankCounterReader::read_memory(inspect::Counters& counters) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kShortest(1), kLongest(50);
  constexpr int kShare = 1000;  // one part in so many of the workers' time since the last question
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> since = now - std::exchange(memory_read_at_, now);
  const std::chrono::duration<double> share = since * job_.worker_count() / kShare;
  const auto until =
      now + std::chrono::duration_cast<Clock::duration>(std::clamp<decltype(share)>(share, kShortest, kLongest));
  const std::size_t count = counters.ranks.size();
  const auto first =
      std::ranges::lower_bound(counters.ranks, next_memory_rank_, {}, &RankCounters::rank) - counters.ranks.begin();
  for (std::size_t i = 0; i < count && Clock::now() < until; ++i) {
    const std::uint32_t rank = counters.ranks[(static_cast<std::size_t>(first) + i) % count].rank;
    next_memory_rank_ = rank + 1;
    try {
      const std::optional<std::uint64_t> bytes = program_.written_bytes(RankId{rank});
      memory_[rank] = bytes.value_or(RankCounters::kUnknown);
    } catch (const std::exception&) {
      break;  // no descriptor left, say
    }
  }
  for (RankCounters& rank : counters.ranks) {
    rank.memory = memory_[rank.rank];
  }
}

}  // namespace weft::launch
