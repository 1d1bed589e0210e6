#include "sim/logical_steps.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace weft::sim {

LogicalStepRun::LogicalStepRun(const Workload& workload, const std::vector<std::uint32_t>& groups,
                               LogicalStepObserver& observer)
    : workload_(workload),
      groups_(groups),
      observer_(observer),
      pairing_(pair_channels(workload)),
      ranks_(workload.streams.size()),
      channels_(pairing_.channels) {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const Stream& stream = workload.streams[rank];
    const Template& pattern = workload.templates[stream.pattern];
    ranks_[rank].code = ranks_[rank].next = workload.actions.data() + pattern.first_action;
    ranks_[rank].values = workload.values.data() + stream.first_value;
    ranks_[rank].slots.resize(pattern.requests);
    for (std::uint32_t i = 0; i < pattern.channels; ++i) {
      if (workload.channels[pattern.first_channel + i].end == ChannelEnd::receiver) {
        channels_[pairing_.number[pairing_.first[rank] + i]].receiver = rank;
      }
    }
    ready_.push_back(rank);
  }
}

void LogicalStepRun::run() {
  while (!ready_.empty()) {
    const std::uint32_t rank = ready_.front();
    ready_.pop_front();
    run_rank(rank);
  }
  const auto waiting = std::ranges::find(ranks_, false, &RankRun::ended);
  if (waiting != ranks_.end()) {
    throw WorkloadError(fmt::format("rank {} waits for a message that is never sent", waiting - ranks_.begin()));
  }
}

void LogicalStepRun::run_rank(std::uint32_t number) {
  RankRun& rank = ranks_[number];
  while (!rank.ended) {
    const Action& action = *rank.next;
    if (action.kind == ActionKind::end_loop && --rank.times_left[action.request] != 0) {
      rank.next = rank.code + action.index;
    } else if (act(number, action)) {
      ++rank.next;
    } else {
      return;
    }
  }
}

bool LogicalStepRun::act(std::uint32_t number, const Action& action) {
  RankRun& rank = ranks_[number];
  switch (action.kind) {
    case ActionKind::compute:
      compute(number, action);
      return true;
    case ActionKind::send:
    case ActionKind::isend:
      send(number, action);
      return action.kind == ActionKind::isend || wait(number, action.request, 1);
    case ActionKind::recv:
      if (!rank.posted) {
        post(number, action);
      }
      rank.posted = !wait(number, action.request, 1);
      return !rank.posted;
    case ActionKind::irecv:
      post(number, action);
      return true;
    case ActionKind::wait:
      return wait(number, action.request, action.index);
    case ActionKind::collective:
      if (action.request != kBlockingSlot) {
        throw WorkloadError(
            fmt::format("rank {} makes collective calls with a request, which cannot be aggregated", number));
      }
      [[fallthrough]];
    case ActionKind::migrate:
      pass_sync_point(number, action);
      return true;
    case ActionKind::loop:
      rank.times_left[action.request] = action.value;
      return true;
    case ActionKind::stop:
      rank.ended = true;
      return true;
    default:
      return true;
  }
}

void LogicalStepRun::compute(std::uint32_t number, const Action& action) {
  RankRun& rank = ranks_[number];
  const bool listed = action.detail == static_cast<std::uint8_t>(WorkDetail::listed);
  const double times = listed ? static_cast<double>(*rank.values++) : 1.0;
  const Seconds seconds = action.seconds() * times * workload_.streams[number].scale;
  observer_.on_work(number, rank.step, action.index, seconds);
}

LogicalStepRun::ChannelRun& LogicalStepRun::channel_of(std::uint32_t rank, const Action& action) {
  return channels_[pairing_.number[pairing_.first[rank] + action.index]];
}

void LogicalStepRun::send(std::uint32_t number, const Action& action) {
  RankRun& rank = ranks_[number];
  ChannelRun& channel = channel_of(number, action);
  const auto index = static_cast<std::uint32_t>(&channel - channels_.data());
  if (!channel.sent.empty()) {
    rank.step = std::max(rank.step, channel.sent.back().step + 1);
  }
  rank.slots[action.request] = {
      .channel = index, .number = channel.sent.size(), .posted = rank.step, .use = Slot::Use::send};
  channel.sent.push_back({.from = number, .to = channel.receiver, .step = rank.step, .bytes = action.value});
  observer_.on_send(channel.sent.back());
  if (channel.awaited) {
    channel.awaited = false;
    ready_.push_back(channel.receiver);
  }
}

void LogicalStepRun::post(std::uint32_t number, const Action& action) {
  RankRun& rank = ranks_[number];
  ChannelRun& channel = channel_of(number, action);
  const auto index = static_cast<std::uint32_t>(&channel - channels_.data());
  rank.slots[action.request] = {
      .channel = index, .number = channel.receives++, .posted = rank.step, .use = Slot::Use::receive};
}

bool LogicalStepRun::wait(std::uint32_t number, std::uint32_t first, std::uint32_t count) {
  RankRun& rank = ranks_[number];
  LogicalStep step = rank.step;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const Slot& slot = rank.slots[i];
    if (slot.use != Slot::Use::receive) {
      continue;
    }
    ChannelRun& channel = channels_[slot.channel];
    if (slot.number >= channel.sent.size()) {
      channel.awaited = true;
      return false;
    }
    const LogicalStepObserver::Sent& message = channel.sent[slot.number];
    step = std::max(step, message.step + (between_groups(message) ? 1 : 0));
  }
  observer_.on_wait(number);
  rank.step = step;
  for (std::uint32_t i = first; i < first + count; ++i) {
    end(number, rank.slots[i]);
  }
  return true;
}

void LogicalStepRun::end(std::uint32_t number, Slot& slot) {
  const Slot::Use use = std::exchange(slot.use, Slot::Use::nothing);
  if (use == Slot::Use::nothing) {
    return;
  }
  const LogicalStepObserver::Sent& message = channels_[slot.channel].sent[slot.number];
  if (!between_groups(message)) {
    return;
  }
  if (use == Slot::Use::send) {
    observer_.on_send_complete(message, ranks_[number].step);
  } else {
    observer_.on_receive(message, slot.posted, ranks_[number].step);
  }
}

void LogicalStepRun::pass_sync_point(std::uint32_t number, const Action& action) {
  RankRun& rank = ranks_[number];
  const bool listed = action.kind == ActionKind::migrate && (action.detail & kLoadListed) != 0;
  rank.step = std::max(rank.step, step_at_sync_point(++rank.sync_points));
  observer_.on_sync_point(number, rank.sync_points, action, listed ? static_cast<double>(*rank.values++) : 0.0);
}

}  // namespace weft::sim
