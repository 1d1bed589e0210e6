// The role of each rank, and what it measures: classes Worker, Meter and LeaseSize of roles.hpp.
#include <algorithm>
#include <cmath>
#include <utility>

#include "iterations/roles.hpp"

namespace weft::iterations {

void Meter::restart(double done, double now) { start_ = end_ = {done, now}; }

void Meter::take(Message& message) {
  const double elapsed = end_.time - start_.time, progress = end_.done - start_.done;
  if (elapsed <= 0 || (elapsed < shortest_ && (measured_ || progress <= 0))) {
    return;
  }
  message.elapsed = elapsed;
  message.progress = progress;
  measured_ = true;
  start_ = end_;
}

void LeaseSize::end(double now, bool is_revoked) {
  const Index leased = std::exchange(open_, 0);
  const Index done = is_revoked ? 1 : leased;
  const double elapsed = now - began_at_;
  const double most = 2.0 * static_cast<double>(count_);
  const double fitting = elapsed > 0 ? seconds_ / elapsed * static_cast<double>(done) : most;
  count_ = std::max(Index{1}, static_cast<Index>(std::min(fitting, most)));
}

Worker::Worker(const Limits& limits, double lease_seconds, bool lease_void)
    : lease_size_(lease_seconds),
      meter_(2 * lease_seconds),
      interval_(limits.checkpoint_seconds),
      lease_void_(lease_void) {}

void Worker::begin(double now, std::vector<Message>& up) {
  reported_at_ = now;
  up.emplace_back();  // MessageKind::start
}

bool Worker::finish_lease(double now, std::vector<Message>& up) {
  if (!lease_size_.is_open() && !lease_void_) {
    return false;
  }
  lease_size_.end(now, lease_void_);
  report(lease_.count, now, up);
  lease_void_ = false;
  return true;
}

Worker::Next Worker::next(double now, Range& lease, std::vector<Message>& up) {
  finish_lease(now, up);
  if (stopped_) {
    return Next::finished;
  }
  lease_ = held_.take_front(std::min(lease_size_.count(), std::max(Index{1}, held_.count() / 2)));
  if (lease_.count > 0) {
    lease_size_.begin(now, lease_.count);
    lease = lease_;
    return Next::lease;
  }
  if (!waiting_) {
    send_report(MessageKind::finish, now, up);
    waiting_ = true;
  }
  return Next::wait;
}

bool Worker::report(Index done, double now, std::vector<Message>& up) {
  if (lease_void_) {
    events_.push_back(TallyEvent::drop_open);
    return true;
  }
  if (done < 0 || done > lease_.count) {
    return false;
  }
  if (done > 0) {
    open_.add(Range{lease_.first, done});
    lease_.first += done;
    lease_.count -= done;
  }
  if (!waiting_ && !stopped_ && now - reported_at_ >= interval_) {
    send_report(MessageKind::report, now, up);
  }
  return true;
}

void Worker::send_report(MessageKind kind, double now, std::vector<Message>& up, RangeSet returned) {
  Message message;
  message.kind = kind;
  message.epoch = epoch_;
  message.grants = grants_;
  message.returned = std::move(returned);
  message.done = static_cast<double>(done());
  if (!waiting_) {
    meter_.mark(message.done, now);
    meter_.take(message);
  }
  if (in_flight_.empty() && !open_.empty()) {
    std::swap(in_flight_, open_);
    message.batch = in_flight_;
    message.serial = ++serial_;
    events_.push_back(TallyEvent::close);
  }
  reported_at_ = kind == MessageKind::hand_back ? reported_at_ : now;
  ++reports_;
  unanswered_.sent(message, now);
  up.push_back(std::move(message));
}

void Worker::receive(const Message& message, double now, std::vector<Message>& up) {
  unanswered_.answered();
  if (message.kind == MessageKind::assign) {
    take_assignment(message, now, up);
  } else if (message.kind == MessageKind::require_report && !waiting_ && message.epoch == epoch_) {
    send_report(MessageKind::report, now, up);
  } else if (message.kind == MessageKind::credit && message.serial == serial_ && !in_flight_.empty()) {
    take_credit(now, up);
  } else if (message.kind == MessageKind::revoke) {
    take_revocation(message);
  } else if (message.kind == MessageKind::stop) {
    stopped_ = true;
  }
}

void Worker::take_assignment(const Message& message, double now, std::vector<Message>& up) {
  grants_ = message.grants;
  if (message.epoch != epoch_) {
    return;
  }
  held_.add(message.granted);
  if (waiting_ && !message.granted.empty()) {
    waiting_ = false;
    reported_at_ = now;
    meter_.restart(static_cast<double>(done()), now);
  }
  interval_ = message.interval;
  prediction_ = {message.seconds_left, message.spread, now};
  const Index over = done() + lease_.count + held_.count() - static_cast<Index>(std::ceil(message.target));
  if (over > 0 && !waiting_) {
    send_report(MessageKind::hand_back, now, up, held_.take_back(over));
  }
}

void Worker::take_credit(double now, std::vector<Message>& up) {
  credited_.add(in_flight_);
  in_flight_.clear();
  events_.push_back(TallyEvent::credit);
  if (waiting_ && !open_.empty()) {
    send_report(MessageKind::finish, now, up);
  }
}

void Worker::take_revocation(const Message& message) {
  if (message.epoch <= epoch_) {
    return;
  }
  epoch_ = message.epoch;
  if (!in_flight_.empty() && message.serial != serial_) {
    refused_ += in_flight_.count();
    in_flight_.clear();
    events_.push_back(TallyEvent::drop_batch);
  }
  refused_ += open_.count() + lease_.count;
  open_.clear();
  events_.push_back(TallyEvent::drop_open);
  held_.clear();
  lease_void_ = lease_void_ || lease_.count > 0;
  lease_ = {};
  waiting_ = false;
}

}  // namespace weft::iterations
