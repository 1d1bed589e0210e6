#include "runtime/timeline/recorder.hpp"

#include <algorithm>
#include <utility>

#include "runtime/meter/ticks.hpp"

namespace weft::runtime {
inline namespace timeline {

Recorder::Recorder(RecorderOptions options)
    : options_(std::move(options)), nanoseconds_per_tick_(1e9 / ticks_per_second()) {
  if (!options_.file.empty()) {
    file_.open(options_.file, std::ios::binary);
    full_ = !file_;
  }
}

// Keeps times from going back: if the thread is not bound, one core's time stamp counter may be some ticks behind
// another's.
[[gnu::always_inline]] inline void Recorder::add(trace::Event event) {
  if (full_) {
    return;
  }
  event.time = last_time_ = std::max(event.time, last_time_);
  buffer_.add(event);
  if (buffer_.bytes() >= options_.most_bytes) [[unlikely]] {
    spill();
  }
}

void Recorder::record_run(RankId rank, std::uint64_t start, std::uint64_t now) {
  if (options_.keeps_runs) {
    add({.kind = trace::EventKind::run, .time = now, .rank = rank, .value = static_cast<std::int64_t>(now - start)});
  }
}

std::uint32_t Recorder::number_of(const char* name) {
  constexpr int kUnusedBits = 3;  // names that are near each other in memory mostly differ in the bits above
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

void Recorder::record_call_begin(RankId rank, const char* call, std::uint64_t now) {
  if (!full_) {
    add({.kind = trace::EventKind::call_begin, .time = now, .rank = rank, .name = number_of(call)});
  }
}

void Recorder::record_algorithm(RankId rank, const char* algorithm) {
  if (!full_) {
    add_now({.kind = trace::EventKind::algorithm, .rank = rank, .name = number_of(algorithm)});
  }
}

void Recorder::record_call_end(RankId rank, std::uint64_t now) {
  add({.kind = trace::EventKind::call_end, .time = now, .rank = rank});
}

void Recorder::record_move(RankId rank, std::uint32_t worker) {
  add_now({.kind = trace::EventKind::move, .rank = rank, .peer = worker});
}

void Recorder::record_steal(RankId rank, std::uint32_t worker, std::uint64_t after) {
  add({.kind = trace::EventKind::stolen, .time = std::max(ticks(), after + 1), .rank = rank, .peer = worker});
}

bool Recorder::find_communicator(std::uint32_t context, const void* what) {
  const auto found = comms_.find(context);
  if (found == comms_.end() || found->second != what) {
    return false;
  }
  recent_comm_ = {context, what};
  return true;
}

void Recorder::record_communicator(RankId rank, std::uint32_t context, const void* what, std::string_view text) {
  if (!full_) {
    comms_[context] = what;
    recent_comm_ = {context, what};
    add_now({.kind = trace::EventKind::comm, .rank = rank, .name = buffer_.name(text), .comm = context});
  }
}

void Recorder::record_span(std::string_view what, std::uint64_t begin, std::uint64_t now) {
  if (!full_) {
    add({.kind = trace::EventKind::span,
         .time = now,
         .name = buffer_.name(what),
         .value = static_cast<std::int64_t>(now - begin)});
  }
}

void Recorder::record_counter(std::string_view counter, std::int64_t value) {
  if (!full_) {
    add_now({.kind = trace::EventKind::counter, .name = buffer_.name(counter), .value = value});
  }
}

void Recorder::record_now(trace::Event event) {
  event.time = options_.keeps_times_in_calls ? ticks() : last_time_;
  add(event);
}

void Recorder::add_now(trace::Event event) {
  event.time = ticks();
  add(event);
}

void Recorder::record_computing(RankId rank, std::uint64_t ticks_of_rank, std::uint64_t now) {
  const auto nanoseconds = static_cast<std::int64_t>(static_cast<double>(ticks_of_rank) * nanoseconds_per_tick_);
  if (nanoseconds == 0 || full_) {
    return;
  }
  add({.kind = trace::EventKind::compute, .time = now, .rank = rank, .value = nanoseconds});
  if (buffer_.bytes() > 0) {  // else the event has gone to the file
    open_.push_back({.time = now, .end = buffer_.bytes(), .value = nanoseconds});
  }
}

void Recorder::note_off_cpu(const OffCpuTime& off_cpu, bool lessens) {
  accounted_for_ = off_cpu;
  if (!lessens) {
    return;
  }
  const double share = off_cpu_share(off_cpu);
  for (const OpenCompute& open : open_) {
    if (open.time > off_cpu.since) {
      buffer_.replace_last_value(open.end, open.value,
                                 static_cast<std::int64_t>(static_cast<double>(open.value) * (1 - share)));
    }
  }
}

void Recorder::record_thread_call(RankId rank, const char* call) {
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
