#include "runtime/termination/termination.hpp"

#include <chrono>
#include <cstring>
#include <thread>

#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/termination/deadlock.hpp"

namespace weft::runtime {
namespace {

constexpr ProcessId kFirst{};

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

template <typename T>
T value_of(std::span<const std::byte> text) {
  T value;
  std::memcpy(&value, text.data(), sizeof value);
  return value;
}

}  // namespace

Termination::Termination(Cluster& cluster)
    : cluster_(cluster), expected_(cluster.job().rank_count()), states_(cluster.count()), reports_(cluster.count()) {}

void Termination::ranks_ended(std::uint32_t here) { cluster_.tell(kFirst, Control::ended, bytes_of(here)); }

void Termination::expect(std::uint32_t ranks) {
  const std::lock_guard lock(mutex_);
  expected_ += ranks;
}

void Termination::hear(ProcessId from, Control what, std::span<const std::byte> text) {
  Job::State& job = *cluster_.job().state_;
  switch (what) {
    case Control::ended: {
      const std::lock_guard lock(mutex_);
      ended_ += value_of<std::uint32_t>(text);
      if (ended_ == expected_) {
        cluster_.tell_all(Control::all_ended);
      }
      break;
    }
    case Control::all_ended:
      job.end(cluster_.job());
      break;
    case Control::idle:
      job.post([this, from, state = value_of<State>(text)] { on_state(from, state); });
      break;
    case Control::still_idle:
      job.post([this, round = value_of<std::uint64_t>(text)] { answer(round); });
      break;
    case Control::tell_report:
      job.post([this] {
        const std::string report = deadlock_part(cluster_.job());
        cluster_.tell(kFirst, Control::report, std::as_bytes(std::span(report)));
      });
      break;
    default:
      job.post([this, from, report = std::string(reinterpret_cast<const char*>(text.data()), text.size())] {
        on_report(from, report);
      });
  }
}

bool Termination::asleep() const {
  Job::State& job = *cluster_.job().state_;
  {
    const std::lock_guard lock(job.mutex);
    if (!job.tasks.empty()) {
      return false;
    }
  }
  return job.sleepers.load(std::memory_order_acquire) == cluster_.job().worker_count() &&
         nothing_under_way(cluster_.job(), job.sleeps) && cluster_.transport().idle() &&
         cluster_.transport().drained() && cluster_.rendezvous_reads.load() == 0;
}

Termination::State Termination::now() const {
  return {.sent = cluster_.sent(), .received = cluster_.received(), .idle = 1, .known = 1};
}

bool Termination::nothing_runs() {
  const State state = now();
  if (!asleep()) {
    return false;
  }
  if (told_.known == 0 || told_.sent != state.sent || told_.received != state.received) {
    told_ = state;
    cluster_.tell(kFirst, Control::idle, bytes_of(state));
  }
  return true;
}

// Asking wakes a worker: it is given time to fall asleep again.
void Termination::answer(std::uint64_t round) {
  State state = now();
  for (int i = 0; i < 100 && !asleep(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    state = now();
  }
  state.round = round;
  state.idle = asleep() ? 1 : 0;
  told_ = state;
  told_.known = state.idle;
  cluster_.tell(kFirst, Control::idle, bytes_of(state));
}

void Termination::on_state(ProcessId from, const State& state) {
  State& known = states_[number(from)];
  if (state.round == 0) {
    known = state;
  } else if (state.round == round_) {
    round_holds_ = round_holds_ && state.idle != 0 && state.sent == known.sent && state.received == known.received;
    known = state;
    known.known = state.idle;
    if (++answers_ < cluster_.count()) {
      return;
    }
    answers_ = 0;
    if (std::exchange(round_holds_, false)) {
      reports_missing_ = cluster_.count();
      cluster_.tell_all(Control::tell_report);
      return;
    }
  }
  std::uint64_t under_way = 0;
  for (const State& its : states_) {
    if (its.known == 0) {
      return;
    }
    under_way += its.sent - its.received;
  }
  if (under_way == 0 && !round_holds_ && reports_missing_ == 0) {
    round_holds_ = true;
    answers_ = 0;
    ++round_;
    cluster_.tell_all(Control::still_idle, bytes_of(round_));
  }
}

void Termination::on_report(ProcessId from, std::string text) {
  reports_[number(from)] = std::move(text);
  if (--reports_missing_ != 0) {
    return;
  }
  std::string whole = "weft: deadlock: all ranks are blocked and nothing is under way";
  for (const std::string& part : reports_) {
    whole += part;
  }
  cluster_.job().abort(1, whole);
}

}  // namespace weft::runtime
