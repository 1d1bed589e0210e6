#include "sim/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace weft::sim {
namespace {

constexpr std::uint64_t kTicksPerSecond = 1'000'000'000;

std::uint64_t ticks_of(Seconds seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * static_cast<double>(kTicksPerSecond)));
}

// The name of the MPI call for an action; empty: none.
std::string_view call_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::send:
      return "MPI_Send";
    case ActionKind::isend:
      return "MPI_Isend";
    case ActionKind::recv:
      return "MPI_Recv";
    case ActionKind::irecv:
      return "MPI_Irecv";
    case ActionKind::wait:
      return "MPI_Waitall";
    case ActionKind::collective:
      return "collective call";
    case ActionKind::migrate:
      return "MPI_Migrate";
    default:
      return {};
  }
}

}  // namespace

void Timeline::begin(std::size_t ranks, std::size_t workers) {
  trace_ = {.header = {.workers = static_cast<std::uint32_t>(workers), .ticks_per_second = kTicksPerSecond},
            .names = {},
            .workers = std::vector<std::vector<trace::Event>>(workers),
            .job = {},
            .process_of = {}};
  in_call_.assign(ranks, 0);
  run_begins_.assign(workers, 0.0);
}

std::uint32_t Timeline::name_of(std::string_view name) {
  const auto found = std::ranges::find(trace_.names, name);
  if (found == trace_.names.end()) {
    trace_.names.emplace_back(name);
    return static_cast<std::uint32_t>(trace_.names.size() - 1);
  }
  return static_cast<std::uint32_t>(found - trace_.names.begin());
}

void Timeline::end_run(std::uint32_t worker, std::uint32_t rank, Seconds now) {
  const std::uint64_t first = ticks_of(run_begins_[worker]);
  const std::uint64_t last = ticks_of(now);
  if (last > first) {
    trace_.workers[worker].push_back({.kind = trace::EventKind::run,
                                      .time = last,
                                      .rank = RankId{rank},
                                      .value = static_cast<std::int64_t>(last - first)});
  }
}

void Timeline::enter(std::uint32_t worker, std::uint32_t rank, ActionKind kind, Seconds now) {
  const std::string_view call = call_of(kind);
  if (!call.empty() && in_call_[rank] == 0) {
    in_call_[rank] = 1;
    trace_.workers[worker].push_back(
        {.kind = trace::EventKind::call_begin, .time = ticks_of(now), .rank = RankId{rank}, .name = name_of(call)});
  }
}

void Timeline::leave(std::uint32_t worker, std::uint32_t rank, Seconds now) {
  if (std::exchange(in_call_[rank], std::uint8_t{0}) != 0) {
    trace_.workers[worker].push_back({.kind = trace::EventKind::call_end, .time = ticks_of(now), .rank = RankId{rank}});
  }
}

// The channel serves as the tag: messages of one channel are received in the order of sending.
void Timeline::sent(std::uint32_t worker, const SentMessage& message, Seconds now) {
  in_flight_[message.channel].push_back(message);
  trace_.workers[worker].push_back({.kind = trace::EventKind::sent,
                                    .time = ticks_of(now),
                                    .rank = RankId{message.from},
                                    .peer = message.to,
                                    .tag = static_cast<std::int32_t>(message.channel),
                                    .value = static_cast<std::int64_t>(message.bytes)});
}

void Timeline::posted(std::uint32_t rank, std::uint32_t request, std::uint32_t channel) {
  receives_[request] = {rank, channel};
}

void Timeline::completed(std::uint32_t worker, std::uint32_t request, Seconds now) {
  const auto found = receives_.find(request);
  if (found == receives_.end()) {
    return;
  }
  const Posted posted = found->second;
  receives_.erase(found);
  std::deque<SentMessage>& messages = in_flight_[posted.channel];
  const SentMessage message = messages.front();
  messages.pop_front();
  trace_.workers[worker].push_back({.kind = trace::EventKind::received,
                                    .time = ticks_of(now),
                                    .rank = RankId{posted.rank},
                                    .peer = message.from,
                                    .tag = static_cast<std::int32_t>(posted.channel),
                                    .value = static_cast<std::int64_t>(message.bytes)});
}

void Timeline::moved(std::uint32_t rank, std::uint32_t from, std::uint32_t to, Seconds now) {
  trace_.workers[from].push_back(
      {.kind = trace::EventKind::move, .time = ticks_of(now), .rank = RankId{rank}, .peer = to});
}

void Timeline::balanced(Seconds begin, Seconds end) {
  const std::uint64_t last = ticks_of(end);
  trace_.job.push_back({.kind = trace::EventKind::span,
                        .time = last,
                        .name = name_of("balancing step"),
                        .value = static_cast<std::int64_t>(last - ticks_of(begin))});
}

trace::Trace Timeline::take_trace() {
  for (std::vector<trace::Event>& events : trace_.workers) {
    std::ranges::stable_sort(events, {}, &trace::Event::time);
  }
  return std::exchange(trace_, {});
}

}  // namespace weft::sim
