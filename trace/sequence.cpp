#include "trace/sequence.hpp"

#include <algorithm>

namespace weft::trace {

Sequence::Sequence(const std::vector<PartFiles>& parts, Names& names) {
  for (const PartFiles& part : parts) {
    for (const std::string& file : part.workers) {
      add(file, Translation(parts.front().clock, part.clock), names);
    }
  }
  workers_ = static_cast<std::uint32_t>(streams_.size());
  for (const PartFiles& part : parts) {
    add(part.job, Translation(parts.front().clock, part.clock), names);
  }
  for (std::uint32_t i = 0; i < streams_.size(); ++i) {
    if (advance(i)) {
      turns_.emplace(streams_[i].head.time, i);
    }
  }
}

void Sequence::add(const std::string& file, const Translation& clock, Names& names) {
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

bool Sequence::is_away(std::uint32_t stream) const {
  const Event& head = streams_[stream].head;
  const auto place = has_rank(head.kind) ? place_.find(number(head.rank)) : place_.end();
  return place != place_.end() && place->second != (head.kind == EventKind::taken ? head.peer : stream);
}

void Sequence::note_place(std::uint32_t stream, const Event& event) {
  const std::uint32_t rank = number(event.rank);
  if (event.kind != EventKind::move && event.kind != EventKind::taken) {
    place_.try_emplace(rank, stream);
    return;
  }
  place_[rank] = event.kind == EventKind::move ? event.peer : stream;
  if (const auto waiting = waiting_.find(rank); waiting != waiting_.end()) {
    for (const std::uint32_t other : waiting->second) {
      turns_.emplace(streams_[other].head.time, other);
    }
    waiting_.erase(waiting);
  }
}

bool Sequence::next(std::uint32_t& worker, Event& event) {
  while (!turns_.empty() && is_away(turns_.top().second)) {
    const std::uint32_t stream = turns_.top().second;
    waiting_[number(streams_[stream].head.rank)].push_back(stream);
    turns_.pop();
  }
  if (turns_.empty() && !waiting_.empty()) {  // the move that they wait for was not written down
    const auto waiting = waiting_.begin();
    place_[waiting->first] = waiting->second.back();
    turns_.emplace(streams_[waiting->second.back()].head.time, waiting->second.back());
    waiting->second.pop_back();
    if (waiting->second.empty()) {
      waiting_.erase(waiting);
    }
  }
  if (turns_.empty()) {
    return false;
  }
  worker = turns_.top().second;
  turns_.pop();
  event = streams_[worker].head;
  if (has_rank(event.kind)) {
    note_place(worker, event);
  }
  if (advance(worker)) {
    turns_.emplace(streams_[worker].head.time, worker);
  }
  return true;
}

}  // namespace weft::trace
