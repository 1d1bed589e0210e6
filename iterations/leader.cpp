// The role of a group's leader: class Leader of roles.hpp.
#include <algorithm>
#include <cmath>
#include <utility>

#include "iterations/roles.hpp"

namespace weft::iterations {

Leader::Leader(const Limits& limits, double lease_seconds, std::size_t members)
    : task_(limits, std::vector<double>(members, 1.0), false),
      meter_(40 * lease_seconds),  // reports may come a lease late, at both ends of a measure: an error of at most 5 %
      interval_(limits.checkpoint_seconds) {}

void Leader::begin(std::vector<Message>& up) { up.emplace_back(); }  // MessageKind::start

// Iterations that the root wants back no longer count as the group's work.
void Leader::balance(double now, DownMessages& down) {
  task_.balance(static_cast<double>(task_.holds() - to_hand_back_), now, down, to_hand_back_ > 0);
}

void Leader::report(MessageKind kind, double now, std::vector<Message>& up) {
  Message message;
  message.kind = kind;
  message.epoch = epoch_;
  message.grants = grants_;
  message.done = task_.predicted_done(now);
  if (!waiting_) {
    meter_.take(message);
  }
  if (sent_.empty() && !collected_.empty()) {
    std::swap(sent_, collected_);
    message.serial = ++serial_;
    for (const Forwarded& forwarded : sent_) {
      message.batch.add(forwarded.batch);
    }
  }
  if (kind == MessageKind::hand_back) {
    message.returned = task_.take_free(to_hand_back_);
    to_hand_back_ -= message.returned.count();
  } else {
    reported_at_ = now;
    report_required_ = false;
  }
  unanswered_.sent(message, now);
  up.push_back(std::move(message));
}

// A report tells most when the members have just reported: the leader waits for them, but not longer than another
// interval.
bool Leader::report_is_due(double now) const { return now - reported_at_ >= (meter_.marked() ? 1 : 2) * interval_; }

void Leader::report_if_needed(double now, std::vector<Message>& up) {
  if (stopped_) {
    return;
  }
  const bool idle = task_.all_wait() && task_.free() == 0;
  if (idle && !waiting_) {
    to_hand_back_ = 0;
    report(MessageKind::finish, now, up);
    waiting_ = true;
  } else if (idle && sent_.empty() && !collected_.empty()) {
    report(MessageKind::finish, now, up);
  } else if (!waiting_ && (report_is_due(now) || (report_required_ && !task_.expects_reports()))) {
    report(MessageKind::report, now, up);
  }
}

void Leader::receive_from_member(std::size_t member, const Message& message, double now, DownMessages& down,
                                 std::vector<Message>& up) {
  if (stopped_) {
    return;
  }
  if (task_.receive(member, message, now, down)) {
    if (!message.batch.empty()) {
      collected_.push_back({member, message.batch});
    }
    // Between reports of its members the leader only assumes that they are as fast as before. A measure that begins or
    // ends with such a guess may be far off, so it goes from one time when all have reported to the next.
    if (!waiting_ && task_.all_reported_since(meter_.since())) {
      meter_.mark(task_.predicted_done(now), now);
    }
    if (to_hand_back_ > 0 && task_.free() > 0) {
      report(MessageKind::hand_back, now, up);
    }
    balance(now, down);
    if (message.kind == MessageKind::report) {
      task_.answer(member, now, down);
    }
  }
  report_if_needed(now, up);
}

void Leader::receive_from_root(const Message& message, double now, DownMessages& down, std::vector<Message>& up) {
  unanswered_.answered();
  if (message.kind == MessageKind::assign) {
    take_assignment(message, now, down, up);
  } else if (message.kind == MessageKind::require_report && !waiting_ && message.epoch == epoch_) {
    report_required_ = true;
    task_.require_reports(now, down);
  } else if (message.kind == MessageKind::credit && message.serial == serial_) {
    take_credit(now, down);
  } else if (message.kind == MessageKind::revoke) {
    take_revocation(message, down);
  } else if (message.kind == MessageKind::stop) {
    stopped_ = true;
    for (std::size_t i = 0; i < task_.workers(); ++i) {
      down.push_back({i, message});
    }
  }
  report_if_needed(now, up);
}

void Leader::take_assignment(const Message& message, double now, DownMessages& down, std::vector<Message>& up) {
  grants_ = message.grants;
  if (message.epoch != epoch_) {
    return;
  }
  task_.supply(message.granted);
  interval_ = message.interval;
  task_.set_prediction({message.seconds_left, std::max(message.spread, task_.predicted_spread(now)), now});
  if (waiting_ && !message.granted.empty()) {
    waiting_ = false;
    reported_at_ = now;
    meter_.restart(task_.predicted_done(now), now);
  }
  to_hand_back_ = std::max(Index{0}, task_.holds() - static_cast<Index>(std::ceil(message.target)));
  if (to_hand_back_ > 0 && !waiting_) {
    report(MessageKind::hand_back, now, up);
  }
  balance(now, down);
}

void Leader::take_credit(double now, DownMessages& down) {
  for (const Forwarded& forwarded : sent_) {
    task_.credit(forwarded.member, now, down);
  }
  sent_.clear();
}

void Leader::take_revocation(const Message& message, DownMessages& down) {
  if (message.epoch <= epoch_) {
    return;
  }
  epoch_ = message.epoch;
  // The root credits a batch as soon as it has it, so a batch that is not credited by now does not count.
  collected_.clear();
  sent_.clear();
  task_.revoke_all(std::vector<bool>(task_.workers(), false), down);
  to_hand_back_ = 0;
  waiting_ = false;
}

void Leader::tick(double now, DownMessages& down, std::vector<Message>& up) {
  if (stopped_) {
    return;
  }
  if (task_.tick(now, down)) {
    balance(now, down);
  }
  report_if_needed(now, up);
}

}  // namespace weft::iterations
