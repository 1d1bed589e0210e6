#include "sim/coarse_ranks.hpp"

#include <algorithm>
#include <utility>

namespace weft::sim {

CoarseRanks::CoarseRanks(const std::vector<std::uint32_t>& groups, std::uint32_t count)
    : groups_(groups), steps_(count), sync_points_(count), works_(groups.size()) {}

void CoarseRanks::assign_work(std::uint32_t rank, bool before_messages) {
  RankWork& done = works_[rank];
  if (!done.work.empty()) {
    GroupStep& step = steps_[groups_[rank]][done.step];
    for (const auto& [phase, seconds] : done.work) {
      (before_messages ? step.before : step.after)[phase] += seconds;
    }
    done.work.clear();
  }
}

void CoarseRanks::on_work(std::uint32_t rank, LogicalStep step, std::uint32_t phase, Seconds seconds) {
  if (works_[rank].step != step) {
    assign_work(rank, false);
    works_[rank].step = step;
  }
  works_[rank].work[phase] += seconds;
}

void CoarseRanks::on_send(const Sent& message) {
  works_[message.from].step = message.step;
  assign_work(message.from, true);
  if (groups_[message.from] != groups_[message.to]) {
    messages_[key_of(message)].bytes += message.bytes;
  }
}

void CoarseRanks::on_send_complete(const Sent& message, LogicalStep step) {
  Merged& merged = messages_[key_of(message)];
  merged.released = std::max(merged.released, step);
}

void CoarseRanks::on_receive(const Sent& message, LogicalStep posted, LogicalStep step) {
  Merged& merged = messages_[key_of(message)];
  merged.posted = std::min(merged.posted, posted);
  merged.received = std::min(merged.received, step);
}

void CoarseRanks::on_sync_point(std::uint32_t rank, std::uint64_t number, const Action& action, Seconds load) {
  assign_work(rank, false);
  std::vector<CoarseSyncPoint>& of_group = sync_points_[groups_[rank]];
  of_group.resize(std::max<std::size_t>(of_group.size(), number));
  CoarseSyncPoint& sync_point = of_group[number - 1];
  sync_point.ranks.push_back(rank);
  sync_point.actions.push_back(action);
  sync_point.load += load;
}

// Goes from the last message to the first, so that receives from one group are posted in the order of the sends.
void CoarseRanks::schedule_messages() {
  for (std::uint32_t rank = 0; rank < groups_.size(); ++rank) {
    assign_work(rank, false);
  }
  for (std::uint32_t group = 0; group < sync_points_.size(); ++group) {
    for (std::uint64_t sync_point = 1; sync_point <= sync_points_[group].size(); ++sync_point) {
      steps_[group][step_at_sync_point(sync_point)];
    }
  }
  std::uint64_t pair = UINT64_MAX;
  LogicalStep posted = UINT64_MAX;
  for (auto at = messages_.rbegin(); at != messages_.rend(); ++at) {
    const auto [from, to, sent] = at->first;
    const std::uint64_t this_pair = std::uint64_t{from} << 32 | to;
    posted = std::exchange(pair, this_pair) == this_pair ? std::min(posted, at->second.posted) : at->second.posted;
    at->second.posted = posted;
    at->second.released = std::max(at->second.released, sent + 1);
  }
  for (const MergedEntry& entry : messages_) {
    const auto [from, to, sent] = entry.first;
    steps_[from][sent].sent.push_back(&entry);
    steps_[from][entry.second.released].ended.push_back(&entry);
    steps_[to][entry.second.posted].posted.push_back(&entry);
    steps_[to][entry.second.received].ended.push_back(&entry);
  }
}

void CoarseRanks::write_work(RecordedProgramWriter& writer, const Work& work) {
  for (const auto& [phase, seconds] : work) {
    writer.phase(phase);
    writer.compute(seconds);
  }
}

void CoarseRanks::write_step(RecordedProgramWriter& writer, const GroupStep& step, Slots& slots) {
  for (const MergedEntry* const entry : step.posted) {
    slots[entry] = writer.start(ActionKind::irecv, {.peer = std::get<0>(entry->first), .bytes = entry->second.bytes});
  }
  std::vector<std::uint16_t> ended;
  for (const MergedEntry* const entry : step.ended) {
    ended.push_back(slots.at(entry));
    slots.erase(entry);
  }
  if (!ended.empty()) {
    writer.wait(std::move(ended));
  }
  writer.end_call();
  write_work(writer, step.before);
  for (const MergedEntry* const entry : step.sent) {
    slots[entry] = writer.start(ActionKind::isend, {.peer = std::get<1>(entry->first), .bytes = entry->second.bytes});
  }
  writer.end_call();
  write_work(writer, step.after);
}

RecordedProgram CoarseRanks::program(std::uint32_t group, const std::vector<std::optional<Action>>& actions) {
  if (!std::exchange(scheduled_, true)) {
    schedule_messages();
  }
  RecordedProgramWriter writer;
  Slots slots;
  for (const auto& [step, what] : steps_[group]) {
    const std::uint64_t sync_point = step >> 32;
    if (sync_point > 0 && step == step_at_sync_point(sync_point)) {
      if (const std::optional<Action>& action = actions[sync_point - 1]; action) {
        writer.add(*action);
        if (action->kind == ActionKind::migrate && (action->detail & kLoadListed) != 0) {
          writer.value(sync_points_[group][sync_point - 1].load);
        }
      }
      writer.end_call();
    }
    write_step(writer, what, slots);
  }
  return writer.finish();
}

}  // namespace weft::sim
