#include "iterations/task.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weft::iterations {
namespace {

// Reports do not come closer together than this part of Delta t_pc, however much speeds change: the paper has no bound.
constexpr double kShortestInterval = 0.25;

}  // namespace

Task::Task(const Limits& limits, std::vector<double> weights, bool guess)
    : limits_(limits), guess_(guess), clients_(weights.size()), records_(weights.size()) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    clients_[i].weight = weights[i];
    clients_[i].interval = limits.checkpoint_seconds;
  }
}

void Task::supply(const RangeSet& indices) { free_.add(indices); }

void Task::revoke(std::size_t worker, bool keep_pending, Posts& posts) {
  Client& client = clients_[worker];
  free_.add(client.leased);
  client.leased.clear();
  if (!keep_pending) {
    client.pending.clear();
    client.pending_serial = 0;
  }
  ++client.epoch;
  client.waiting = client.measured = client.recalled = client.required = false;
  WorkerRecord& record = records_[worker];
  record.done = record.assigned = static_cast<double>(client.holds());
  record.speed = 0;
  record.working = false;
  Message refusal;
  refusal.kind = Kind::refuse;
  refusal.epoch = client.epoch;
  refusal.serial = client.pending_serial;
  posts.push_back({worker, refusal});
}

void Task::revoke_all(const std::vector<bool>& keeps, Posts& posts) {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (clients_[i].started) {
      revoke(i, keeps[i], posts);
    }
  }
  free_.clear();
}

void Task::take_measure(std::size_t from, const Message& message, double now) {
  Client& client = clients_[from];
  WorkerRecord& record = records_[from];
  const Measure measure{message.elapsed, message.done, now};
  if (message.elapsed <= 0) {
    return;
  }
  const double ratio = guess_ ? add_guess_measure(record, measure) : add_measure(record, measure);
  client.interval =
      std::max(next_interval(client.interval, ratio, limits_), kShortestInterval * limits_.checkpoint_seconds);
  client.measured = true;
}

bool Task::receive(std::size_t from, const Message& message, double now, Posts& posts) {
  Client& client = clients_[from];
  client.heard_at = now;
  if (message.kind == Kind::start) {
    client.started = client.waiting = records_[from].working = true;
    records_[from].reported_at = now;
    return true;
  }
  RangeSet both = message.batch;
  const bool sane =
      both.add(message.returned) && client.leased.contains(both) && (message.batch.empty() || client.pending.empty());
  if (message.epoch != client.epoch || !sane) {
    if (message.epoch == client.epoch) {
      revoke(from, true, posts);  // what is no lease of its own: a fault somewhere, made harmless
    } else {
      Message refusal;
      refusal.kind = Kind::refuse;
      refusal.epoch = client.epoch;
      refusal.serial = client.pending_serial;
      posts.push_back({from, refusal});
    }
    return false;
  }
  client.leased.remove(both);
  free_.add(message.returned);
  if (!message.batch.empty()) {
    client.pending = message.batch;
    client.pending_serial = message.serial;
  }
  // One that had nothing to hand back is asked again after its next report.
  client.recalled = client.recalled && message.kind == Kind::hand_back && message.returned.empty();
  if (client.required) {
    client.required = false;
    client.pause = std::max({2 * client.pause, limits_.min_seconds / 4, now - client.asked_at});
    client.answered_at = now;
  } else if (message.kind == Kind::report) {
    client.pause = 0;
  }
  records_[from].working = true;
  take_measure(from, message, now);
  client.waiting = client.waiting || message.kind == Kind::finish;
  return true;
}

void Task::credit(std::size_t worker, double now, Posts& posts) {
  Client& client = clients_[worker];
  if (client.pending.empty()) {
    return;
  }
  Message verdict;
  verdict.kind = Kind::credit;
  verdict.serial = client.pending_serial;
  client.credited += client.pending.count();
  client.pending.clear();
  client.pending_serial = 0;
  client.heard_at = now;
  posts.push_back({worker, verdict});
}

Index Task::surplus(std::size_t worker) const {
  return clients_[worker].holds() - static_cast<Index>(std::ceil(records_[worker].assigned));
}

Message Task::assignment(std::size_t worker, RangeSet granted) const {
  Message message;
  message.kind = Kind::assign;
  message.epoch = clients_[worker].epoch;
  message.target = static_cast<double>(clients_[worker].holds());
  message.interval = clients_[worker].interval;
  message.seconds_left = outlook_.seconds_left;
  message.spread = outlook_.spread;
  message.granted = std::move(granted);
  return message;
}

// Before any report each worker has a part in proportion to its weight. Later one without a measure, such as one that
// was silent, counts as fast as the others until it has reported.
bool Task::assume_speeds(double total) {
  double weights = 0, measured_weights = 0, speeds = 0;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    weights += clients_[i].weight;
    if (clients_[i].measured && records_[i].working) {
      measured_weights += clients_[i].weight;
      speeds += records_[i].speed;
    }
  }
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (clients_[i].measured || !records_[i].working) {
      continue;
    }
    if (measured_weights > 0) {
      records_[i].speed = speeds / measured_weights * clients_[i].weight;
    } else {
      records_[i].assigned = std::max(total * clients_[i].weight / weights, static_cast<double>(clients_[i].holds()));
    }
  }
  return measured_weights > 0;
}

bool Task::any_waiting() const {
  return std::ranges::any_of(clients_, [](const Client& client) { return client.waiting; });
}

void Task::balance(double total, double now, Posts& posts, bool wanted) {
  if (assume_speeds(total)) {
    checkpoint(records_, total, now, limits_);
  }
  grant_waiting(now, posts);
  if ((wanted || any_waiting()) && free_.empty()) {
    recall(now, posts);
  }
}

void Task::grant_waiting(double now, Posts& posts) {
  auto waiting = std::ranges::count_if(clients_, &Client::waiting);
  for (std::size_t i = 0; i < clients_.size() && !free_.empty(); ++i) {
    Client& client = clients_[i];
    if (!client.waiting) {
      continue;
    }
    // Free indices must not lie about while one waits, whatever the checkpoint says.
    const bool first = client.holds() == 0 && !client.measured;
    const Index fair = first ? 1 : (free_.count() + waiting - 1) / waiting;
    const RangeSet granted = free_.take_back(std::max(-surplus(i), fair));
    --waiting;
    client.leased.add(granted);
    client.waiting = false;
    client.heard_at = now;
    records_[i].assigned = std::max(records_[i].assigned, static_cast<double>(client.holds()));
    records_[i].reported_at = now;
    posts.push_back({i, assignment(i, granted)});
  }
}

void Task::answer(std::size_t reporter, double now, Posts& posts) {
  Client& client = clients_[reporter];
  if (!client.started || client.waiting) {
    return;
  }
  RangeSet granted;
  const Index over = surplus(reporter);
  if (over < 0) {
    granted = free_.take_back(-over);
    client.leased.add(granted);
  }
  Message message = assignment(reporter, std::move(granted));
  // A few iterations are not worth the messages.
  const double worth = any_waiting() ? 0 : std::max(1.0, records_[reporter].speed * limits_.min_seconds / 4);
  if (static_cast<double>(over) > worth) {
    message.target = std::ceil(records_[reporter].assigned);
    client.recalled = true;
  }
  client.heard_at = now;
  posts.push_back({reporter, message});
}

void Task::recall(double now, Posts& posts) {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    Client& client = clients_[i];
    if (client.waiting || !records_[i].working || client.leased.empty()) {
      continue;
    }
    // What is taken back is computed from what is done: ask for that first, where it is not known. Each time the answer
    // is good for longer, or a task that is slower than its workers' answers would do nothing but ask.
    const double known_at =
        client.measured ? std::max(client.answered_at, records_[i].reported_at) : client.answered_at;
    const bool known = now - known_at <= std::max(client.pause, limits_.min_seconds / 4);
    if (!known && !client.required && !client.recalled) {
      client.required = true;
      client.asked_at = now;
      Message message;
      message.kind = Kind::require;
      message.epoch = client.epoch;
      posts.push_back({i, message});
    } else if (known && !client.recalled && surplus(i) > 0) {
      client.recalled = true;
      Message message = assignment(i, {});
      message.target = std::ceil(records_[i].assigned);
      posts.push_back({i, message});
    }
  }
}

bool Task::tick(double now, Posts& posts) {
  const double gap = now - ticked_at_;
  ticked_at_ = now;
  bool any = false;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    Client& client = clients_[i];
    if (gap > 0.5 * client.interval) {
      client.heard_at = std::min(now, client.heard_at + gap);
    }
    // One that waits for a verdict has done its part.
    const bool has_work = records_[i].working && !client.leased.empty() && !(client.waiting && !client.pending.empty());
    if (has_work && now - client.heard_at > client.patience * client.interval) {
      client.patience *= 2;
      ++times_silent_;
      revoke(i, true, posts);
      any = true;
    }
  }
  return any;
}

Index Task::leased() const {
  return std::accumulate(clients_.begin(), clients_.end(), Index{0},
                         [](Index sum, const Client& client) { return sum + client.leased.count(); });
}

Index Task::credited() const {
  return std::accumulate(clients_.begin(), clients_.end(), Index{0},
                         [](Index sum, const Client& client) { return sum + client.credited; });
}

Index Task::holds() const {
  return std::accumulate(clients_.begin(), clients_.end(), free_.count(),
                         [](Index sum, const Client& client) { return sum + client.holds(); });
}

bool Task::all_wait() const {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (records_[i].working && !clients_[i].waiting) {
      return false;
    }
  }
  return true;
}

double Task::speed() const {
  double speed = 0;
  for (const WorkerRecord& record : records_) {
    speed += record.working ? record.speed : 0;
  }
  return speed;
}

double Task::predicted_spread(double now) const {
  std::vector<WorkerRecord> as_leased = records_;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    as_leased[i].assigned = static_cast<double>(clients_[i].holds());
  }
  const Finish finish = predicted_finish(as_leased, now);
  return finish.latest - finish.earliest;
}

double Task::predicted_done(double now) const {
  double done = 0;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const double most = static_cast<double>(clients_[i].holds());
    done += records_[i].working ? std::min(most, records_[i].predicted_done(now)) : records_[i].done;
  }
  return done;
}

}  // namespace weft::iterations
