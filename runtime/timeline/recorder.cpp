#include "runtime/timeline/recorder.hpp"

#include <algorithm>

#include "runtime/meter/ticks.hpp"

namespace weft::runtime {

void Recorder::ran(RankId rank, std::uint64_t start, std::uint64_t now) {
  add({.kind = trace::Kind::run, .time = now, .rank = rank, .value = static_cast<std::int64_t>(now - start)});
}

void Recorder::enters(RankId rank, const char* call) {
  if (full_) {
    return;
  }
  const auto [place, is_new] = names_.try_emplace(call, 0);
  if (is_new) {
    place->second = buffer_.name(call);
  }
  add({.kind = trace::Kind::call_begin, .time = ticks(), .rank = rank, .name = place->second});
}

void Recorder::leaves(RankId rank) { add({.kind = trace::Kind::call_end, .time = ticks(), .rank = rank}); }

void Recorder::moves(RankId rank, std::uint32_t worker) {
  add({.kind = trace::Kind::move, .time = ticks(), .rank = rank, .peer = worker});
}

void Recorder::took(std::string_view what, std::uint64_t begin, std::uint64_t now) {
  if (!full_) {
    add({.kind = trace::Kind::span,
         .time = now,
         .name = buffer_.name(what),
         .value = static_cast<std::int64_t>(now - begin)});
  }
}

void Recorder::counts(std::string_view counter, std::int64_t value) {
  if (!full_) {
    add({.kind = trace::Kind::counter, .time = ticks(), .name = buffer_.name(counter), .value = value});
  }
}

// Where the thread is not bound, a core's counter may be some ticks behind another's.
void Recorder::add(trace::Event event) {
  if (full_) {
    return;
  }
  event.time = last_time_ = std::max(event.time, last_time_);
  buffer_.add(event);
  full_ = buffer_.bytes() >= most_bytes_;
}

}  // namespace weft::runtime
