#include "trace/sequence.hpp"

#include <algorithm>

namespace weft::trace {

Sequence::Sequence(const std::vector<ProcessFiles>& parts, Names& names) {
  for (const ProcessFiles& part : parts) {
    for (const std::string& file : part.workers) {
      add(file, ClockTranslation(parts.front().clock, part.clock), names);
    }
  }
  workers_ = static_cast<std::uint32_t>(streams_.size());
  for (const ProcessFiles& part : parts) {
    add(part.job, ClockTranslation(parts.front().clock, part.clock), names);
  }
  for (std::uint32_t i = 0; i < streams_.size(); ++i) {
    if (advance(i)) {
      head_times_.emplace(streams_[i].head.time, i);
    }
  }
}

void Sequence::add(const std::string& file, const ClockTranslation& clock, Names& names) {
  streams_.push_back({Source(file, names), clock, {}});
}

bool Sequence::advance(std::uint32_t stream) {
  WorkerEvents& from = streams_[stream];
  if (!from.source.next(from.head)) {
    return false;
  }
  from.head.time = from.clock.time(from.head.time);
  if (from.head.kind == EventKind::run || from.head.kind == EventKind::span) {
    from.head.value = from.clock.duration(from.head.value);
  }
  return true;
}

bool Sequence::must_wait(std::uint32_t stream) const {
  const Event& head = streams_[stream].head;
  const auto place = has_rank(head.kind) ? location_.find(number(head.rank)) : location_.end();
  return place != location_.end() && place->second != (head.kind == EventKind::stolen ? head.peer : stream);
}

void Sequence::update_location(std::uint32_t stream, const Event& event) {
  const std::uint32_t rank = number(event.rank);
  if (event.kind != EventKind::move && event.kind != EventKind::stolen) {
    location_.try_emplace(rank, stream);
    return;
  }
  location_[rank] = event.kind == EventKind::move ? event.peer : stream;
  if (const auto waiting = waiting_.find(rank); waiting != waiting_.end()) {
    for (const std::uint32_t other : waiting->second) {
      head_times_.emplace(streams_[other].head.time, other);
    }
    waiting_.erase(waiting);
  }
}

bool Sequence::next(std::uint32_t& worker, Event& event) {
  while (!head_times_.empty() && must_wait(head_times_.top().second)) {
    const std::uint32_t stream = head_times_.top().second;
    waiting_[number(streams_[stream].head.rank)].push_back(stream);
    head_times_.pop();
  }
  if (head_times_.empty() && !waiting_.empty()) {  // the move that they wait for was not recorded
    const auto waiting = waiting_.begin();
    location_[waiting->first] = waiting->second.back();
    head_times_.emplace(streams_[waiting->second.back()].head.time, waiting->second.back());
    waiting->second.pop_back();
    if (waiting->second.empty()) {
      waiting_.erase(waiting);
    }
  }
  if (head_times_.empty()) {
    return false;
  }
  worker = head_times_.top().second;
  head_times_.pop();
  event = streams_[worker].head;
  if (has_rank(event.kind)) {
    update_location(worker, event);
  }
  if (advance(worker)) {
    head_times_.emplace(streams_[worker].head.time, worker);
  }
  return true;
}

}  // namespace weft::trace
