#include "iterations/task.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weft::iterations {
namespace {

// Reports do not come closer together than this part of Delta t_pc, however much speeds change: the paper has no bound.
constexpr double kShortestInterval = 0.25;

// In times of Delta t_pc: how long a measure of the speed counts for predictions.
constexpr double kSpeedMemory = 2;

}  // namespace

Task::Task(const Limits& limits, std::vector<double> weights, bool guess)
    : limits_(limits), guess_(guess), workers_(weights.size()), records_(weights.size()) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    workers_[i].weight = weights[i];
    workers_[i].interval = limits.checkpoint_seconds;
  }
}

void Task::supply(const RangeSet& indices) { free_.add(indices); }

void Task::revoke(std::size_t worker, bool keep_pending, DownMessages& down) {
  WorkerState& state = workers_[worker];
  free_.add(state.leased);
  state.leased.clear();
  if (!keep_pending) {
    state.pending.clear();
    state.pending_serial = 0;
  }
  ++state.epoch;
  state.waiting = state.measured = state.recalled = state.report_requested = false;
  WorkerRecord& record = records_[worker];
  record.done = record.assigned = static_cast<double>(state.holds());
  record.speed = 0;
  record.working = false;
  Message revocation;
  revocation.kind = MessageKind::revoke;
  revocation.epoch = state.epoch;
  revocation.serial = state.pending_serial;
  down.push_back({worker, revocation});
}

void Task::revoke_all(const std::vector<bool>& keeps, DownMessages& down) {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].started) {
      revoke(i, keeps[i], down);
    }
  }
  free_.clear();
}

void Task::take_measure(std::size_t from, const Message& message, double now) {
  WorkerState& state = workers_[from];
  WorkerRecord& record = records_[from];
  const Measure measure{message.done, message.elapsed, message.progress, now};
  const double ratio = guess_ ? add_guess_measure(record, measure) : add_measure(record, measure);
  if (message.elapsed <= 0) {
    return;
  }
  state.interval =
      std::max(next_interval(state.interval, ratio, limits_), kShortestInterval * limits_.checkpoint_seconds);
  state.speed.add(message.progress, message.elapsed, kSpeedMemory * limits_.checkpoint_seconds);
  state.measured = true;
}

bool Task::receive(std::size_t from, const Message& message, double now, DownMessages& down) {
  WorkerState& state = workers_[from];
  state.heard_at = now;
  if (message.kind == MessageKind::start) {
    state.started = state.waiting = records_[from].working = true;
    records_[from].reported_at = now;
    return true;
  }
  RangeSet both = message.batch;
  const bool is_consistent =
      both.add(message.returned) && state.leased.contains(both) && (message.batch.empty() || state.pending.empty());
  if (message.epoch != state.epoch || !is_consistent) {
    if (message.epoch == state.epoch) {
      revoke(from, true, down);  // reported indices that it does not hold: an error elsewhere, made harmless
    } else {
      Message revocation;
      revocation.kind = MessageKind::revoke;
      revocation.epoch = state.epoch;
      revocation.serial = state.pending_serial;
      down.push_back({from, revocation});
    }
    return false;
  }
  state.leased.remove(both);
  free_.add(message.returned);
  if (!message.batch.empty()) {
    state.pending = message.batch;
    state.pending_serial = message.serial;
  }
  // A worker that had nothing to hand back is recalled again after its next report.
  state.recalled = state.recalled && message.kind == MessageKind::hand_back && message.returned.empty();
  if (state.report_requested) {
    state.report_requested = false;
    state.request_backoff = std::max({2 * state.request_backoff, limits_.min_seconds / 4, now - state.requested_at});
    state.answered_at = now;
  } else if (message.kind == MessageKind::report) {
    state.request_backoff = 0;
  }
  records_[from].working = true;
  take_measure(from, message, now);
  // If the worker knows of fewer grants, an assignment with indices is on its way to it.
  state.waiting = state.waiting || (message.kind == MessageKind::finish && message.grants == state.grants);
  return true;
}

void Task::credit(std::size_t worker, double now, DownMessages& down) {
  WorkerState& state = workers_[worker];
  if (state.pending.empty()) {
    return;
  }
  Message verdict;
  verdict.kind = MessageKind::credit;
  verdict.serial = state.pending_serial;
  state.credited += state.pending.count();
  state.pending.clear();
  state.pending_serial = 0;
  state.heard_at = now;
  down.push_back({worker, verdict});
}

Index Task::surplus(std::size_t worker) const {
  return workers_[worker].holds() - static_cast<Index>(std::ceil(records_[worker].assigned));
}

void Task::lease(WorkerState& state, const RangeSet& granted) {
  state.leased.add(granted);
  state.grants += granted.empty() ? 0 : 1;
}

Message Task::assignment(std::size_t worker, RangeSet granted) const {
  Message message;
  message.kind = MessageKind::assign;
  message.epoch = workers_[worker].epoch;
  message.grants = workers_[worker].grants;
  message.target = static_cast<double>(workers_[worker].holds());
  message.interval = workers_[worker].interval;
  message.seconds_left = prediction_.seconds_left;
  message.spread = prediction_.spread;
  message.granted = std::move(granted);
  return message;
}

// Before any report each worker gets a share in proportion to its weight. Later a worker without a measure, such as one
// that was silent, is assumed to be as fast as the others until it reports.
bool Task::assume_speeds(double total) {
  double weights = 0, measured_weights = 0, speeds = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    weights += workers_[i].weight;
    if (workers_[i].measured && records_[i].working) {
      measured_weights += workers_[i].weight;
      speeds += records_[i].speed;
    }
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].measured || !records_[i].working) {
      continue;
    }
    if (measured_weights > 0) {
      records_[i].speed = speeds / measured_weights * workers_[i].weight;
    } else {
      records_[i].assigned = std::max(total * workers_[i].weight / weights, static_cast<double>(workers_[i].holds()));
    }
  }
  return measured_weights > 0;
}

bool Task::any_waiting() const {
  return std::ranges::any_of(workers_, [](const WorkerState& state) { return state.waiting; });
}

void Task::balance(double total, double now, DownMessages& down, bool wanted) {
  if (assume_speeds(total)) {
    checkpoint(records_, total, now, limits_);
  }
  grant_waiting(now, down);
  if ((wanted || any_waiting()) && free_.empty()) {
    recall(now, down);
  }
}

void Task::grant_waiting(double now, DownMessages& down) {
  auto waiting = std::ranges::count_if(workers_, &WorkerState::waiting);
  for (std::size_t i = 0; i < workers_.size() && !free_.empty(); ++i) {
    WorkerState& state = workers_[i];
    if (!state.waiting) {
      continue;
    }
    // Free indices must not stay unused while a worker waits, whatever the checkpoint says.
    const bool first = state.holds() == 0 && !state.measured;
    const Index fair = first ? 1 : (free_.count() + waiting - 1) / waiting;
    const RangeSet granted = free_.take_back(std::max(-surplus(i), fair));
    --waiting;
    lease(state, granted);
    state.waiting = false;
    state.heard_at = now;
    records_[i].assigned = std::max(records_[i].assigned, static_cast<double>(state.holds()));
    records_[i].reported_at = now;
    down.push_back({i, assignment(i, granted)});
  }
}

void Task::answer(std::size_t reporter, double now, DownMessages& down) {
  WorkerState& state = workers_[reporter];
  if (!state.started || state.waiting) {
    return;
  }
  RangeSet granted;
  const Index over = surplus(reporter);
  if (over < 0) {
    granted = free_.take_back(-over);
    lease(state, granted);
  }
  Message message = assignment(reporter, std::move(granted));
  // A few iterations are not worth the messages.
  const double worth = any_waiting() ? 0 : std::max(1.0, records_[reporter].speed * limits_.min_seconds / 4);
  if (static_cast<double>(over) > worth) {
    message.target = std::ceil(records_[reporter].assigned);
    state.recalled = true;
  }
  state.heard_at = now;
  down.push_back({reporter, message});
}

void Task::require_report(std::size_t worker, double now, DownMessages& down) {
  WorkerState& state = workers_[worker];
  if (state.report_requested) {
    return;
  }
  state.report_requested = true;
  state.requested_at = now;
  Message message;
  message.kind = MessageKind::require_report;
  message.epoch = state.epoch;
  down.push_back({worker, message});
}

void Task::require_reports(double now, DownMessages& down) {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (records_[i].working && !workers_[i].waiting) {
      require_report(i, now, down);
    }
  }
}

void Task::recall(double now, DownMessages& down) {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    WorkerState& state = workers_[i];
    if (state.waiting || !records_[i].working || state.leased.empty()) {
      continue;
    }
    // How much to take back depends on how much is done: if that is not known, request a report first. Each answer is
    // used longer than the one before; else a slow task would do nothing but request reports.
    const double known_at = state.measured ? std::max(state.answered_at, records_[i].reported_at) : state.answered_at;
    const bool known = now - known_at <= std::max(state.request_backoff, limits_.min_seconds / 4);
    if (!known && !state.recalled) {
      require_report(i, now, down);
    } else if (known && !state.recalled && surplus(i) > 0) {
      state.recalled = true;
      Message message = assignment(i, {});
      message.target = std::ceil(records_[i].assigned);
      down.push_back({i, message});
    }
  }
}

bool Task::tick(double now, DownMessages& down) {
  const double gap = now - ticked_at_;
  ticked_at_ = now;
  bool any = false;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    WorkerState& state = workers_[i];
    if (gap > 0.5 * state.interval) {
      state.heard_at = std::min(now, state.heard_at + gap);
    }
    // A worker that only waits for credit is not silent.
    const bool has_work = records_[i].working && !state.leased.empty() && !(state.waiting && !state.pending.empty());
    if (has_work && now - state.heard_at > state.timeout_intervals * state.interval) {
      state.timeout_intervals *= 2;
      ++times_silent_;
      revoke(i, true, down);
      any = true;
    }
  }
  return any;
}

Index Task::leased() const {
  return std::accumulate(workers_.begin(), workers_.end(), Index{0},
                         [](Index sum, const WorkerState& state) { return sum + state.leased.count(); });
}

Index Task::credited() const {
  return std::accumulate(workers_.begin(), workers_.end(), Index{0},
                         [](Index sum, const WorkerState& state) { return sum + state.credited; });
}

Index Task::holds() const {
  return std::accumulate(workers_.begin(), workers_.end(), free_.count(),
                         [](Index sum, const WorkerState& state) { return sum + state.holds(); });
}

bool Task::all_wait() const {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (records_[i].working && !workers_[i].waiting) {
      return false;
    }
  }
  return true;
}

bool Task::expects_reports() const {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (records_[i].working && !workers_[i].waiting && workers_[i].report_requested) {
      return true;
    }
  }
  return false;
}

bool Task::all_reported_since(double time) const {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (records_[i].working && !workers_[i].waiting && (!workers_[i].measured || records_[i].reported_at <= time)) {
      return false;
    }
  }
  return true;
}

double Task::mean_speed() const {
  double speed = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const double own = workers_[i].speed.known() ? workers_[i].speed.get() : records_[i].speed;
    speed += records_[i].working ? own : 0;
  }
  return speed;
}

double Task::predicted_spread(double now) const {
  std::vector<WorkerRecord> as_leased = records_;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    as_leased[i].assigned = static_cast<double>(workers_[i].holds());
  }
  const Finish finish = predicted_finish(as_leased, now);
  return finish.latest - finish.earliest;
}

double Task::predicted_done(double now) const {
  double done = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const double most = static_cast<double>(workers_[i].holds());
    done += records_[i].working ? std::min(most, records_[i].predicted_done(now)) : records_[i].done;
  }
  return done;
}

}  // namespace weft::iterations
