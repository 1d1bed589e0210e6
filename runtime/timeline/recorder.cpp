#include "runtime/timeline/recorder.hpp"

#include <algorithm>
#include <utility>

#include "runtime/meter/ticks.hpp"

namespace weft::runtime {
inline namespace timeline {

Recorder::Recorder(Recording recording)
    : recording_(std::move(recording)), nanoseconds_per_tick_(1e9 / ticks_per_second()) {
  if (!recording_.file.empty()) {
    file_.open(recording_.file, std::ios::binary);
    full_ = !file_;
  }
}

void Recorder::ran(RankId rank, std::uint64_t start, std::uint64_t now) {
  if (recording_.runs) {
    add({.kind = trace::EventKind::run, .time = now, .rank = rank, .value = static_cast<std::int64_t>(now - start)});
  }
}

std::uint32_t Recorder::number_of(const char* name) {
  constexpr int kUnusedBits = 3;  // names that are near in memory mostly differ in the next ones
  NamedNumber& recent = recent_names_[(reinterpret_cast<std::uintptr_t>(name) >> kUnusedBits) % recent_names_.size()];
  if (recent.name != name) {
    const auto [place, is_new] = names_.try_emplace(name, 0);
    if (is_new) {
      place->second = buffer_.name(name);
    }
    recent = {name, place->second};
  }
  return recent.number;
}

void Recorder::enters(RankId rank, const char* call, std::uint64_t now) {
  if (!full_) {
    add({.kind = trace::EventKind::call_begin, .time = now, .rank = rank, .name = number_of(call)});
  }
}

void Recorder::chooses(RankId rank, const char* algorithm) {
  if (!full_) {
    add_now({.kind = trace::EventKind::algorithm, .rank = rank, .name = number_of(algorithm)});
  }
}

void Recorder::leaves(RankId rank, std::uint64_t now) {
  add({.kind = trace::EventKind::call_end, .time = now, .rank = rank});
}

void Recorder::moves(RankId rank, std::uint32_t worker) {
  add_now({.kind = trace::EventKind::move, .rank = rank, .peer = worker});
}

void Recorder::takes(RankId rank, std::uint32_t worker, std::uint64_t after) {
  add({.kind = trace::EventKind::taken, .time = std::max(ticks(), after + 1), .rank = rank, .peer = worker});
}

bool Recorder::describes(std::uint32_t context, const void* what) const {
  const auto found = comms_.find(context);
  return found != comms_.end() && found->second == what;
}

void Recorder::describe(RankId rank, std::uint32_t context, const void* what, std::string_view text) {
  if (!full_) {
    comms_[context] = what;
    add_now({.kind = trace::EventKind::comm, .rank = rank, .name = buffer_.name(text), .comm = context});
  }
}

void Recorder::took(std::string_view what, std::uint64_t begin, std::uint64_t now) {
  if (!full_) {
    add({.kind = trace::EventKind::span,
         .time = now,
         .name = buffer_.name(what),
         .value = static_cast<std::int64_t>(now - begin)});
  }
}

void Recorder::counts(std::string_view counter, std::int64_t value) {
  if (!full_) {
    add_now({.kind = trace::EventKind::counter, .name = buffer_.name(counter), .value = value});
  }
}

void Recorder::add_now(trace::Event event) {
  event.time = ticks();
  add(event);
}

// Where the thread is not bound, a core's counter may be some ticks behind another's.
void Recorder::add(trace::Event event) {
  if (full_) {
    return;
  }
  event.time = last_time_ = std::max(event.time, last_time_);
  buffer_.add(event);
  if (buffer_.bytes() >= recording_.most_bytes) [[unlikely]] {
    spill();
  }
}

void Recorder::computed(RankId rank, std::uint64_t ticks_of_rank, std::uint64_t now) {
  const auto nanoseconds = static_cast<std::int64_t>(static_cast<double>(ticks_of_rank) * nanoseconds_per_tick_);
  if (nanoseconds == 0 || full_) {
    return;
  }
  add({.kind = trace::EventKind::compute, .time = now, .rank = rank, .value = nanoseconds});
  if (buffer_.bytes() > 0) {  // else it has gone to the file
    open_.push_back({.time = now, .end = buffer_.bytes(), .value = nanoseconds});
  }
}

void Recorder::account_for(const MissingTime& missing, bool lessens) {
  accounted_for_ = missing;
  if (!lessens) {
    return;
  }
  const double share = share_of(missing);
  for (const OpenCompute& open : open_) {
    if (open.time > missing.since) {
      buffer_.lessen(open.end, open.value, static_cast<std::int64_t>(static_cast<double>(open.value) * (1 - share)));
    }
  }
}

void Recorder::thread_calls(RankId rank, const char* call) {
  if (!full_ && !std::exchange(threads_call_, true)) {
    add_now({.kind = trace::EventKind::thread_call, .rank = rank, .name = number_of(call)});
  }
}

void Recorder::spill() {
  open_.clear();
  if (file_.is_open()) {
    bytes_in_file_ += buffer_.bytes();
    file_ << buffer_.contents();
    buffer_.clear();
  }
  full_ = !file_.is_open() || !file_;
}

bool Recorder::finish_file() {
  spill();
  file_.close();
  return !full_ && file_;
}

}  // namespace timeline
}  // namespace weft::runtime
