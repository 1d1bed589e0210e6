#include <algorithm>
#include <cmath>
#include <utility>

#include "iterations/roles.hpp"

namespace weft::iterations {

Leader::Leader(const Limits& limits, std::size_t members)
    : task_(limits, std::vector<double>(members, 1.0), false),
      meter_(limits.min_seconds / 4),
      interval_(limits.checkpoint_seconds) {}

void Leader::begin(std::vector<Message>& up) { up.emplace_back(); }  // Kind::start

// What the root wants back counts no longer as work of the group.
void Leader::balance(double now, Posts& posts) {
  task_.balance(static_cast<double>(task_.holds() - owed_), now, posts, owed_ > 0);
}

void Leader::report(Kind kind, double now, std::vector<Message>& up) {
  Message message;
  message.kind = kind;
  message.epoch = epoch_;
  if (!waiting_) {
    meter_.take(task_.predicted_done(now), now, message);
  }
  if (sent_.empty() && !collected_.empty()) {
    std::swap(sent_, collected_);
    message.serial = ++serial_;
    for (const Forwarded& forwarded : sent_) {
      message.batch.add(forwarded.batch);
    }
  }
  if (kind == Kind::hand_back) {
    message.returned = task_.take_free(owed_);
    owed_ -= message.returned.count();
  } else {
    reported_at_ = now;
  }
  up.push_back(std::move(message));
}

void Leader::report_if_needed(double now, std::vector<Message>& up) {
  if (stopped_) {
    return;
  }
  const bool idle = task_.all_wait() && task_.free() == 0;
  if (idle && !waiting_) {
    owed_ = 0;
    report(Kind::finish, now, up);
    waiting_ = true;
  } else if (idle && sent_.empty() && !collected_.empty()) {
    report(Kind::finish, now, up);
  } else if (!waiting_ && now - reported_at_ >= interval_) {
    report(Kind::report, now, up);
  }
}

void Leader::receive_from_member(std::size_t member, const Message& message, double now, Posts& posts,
                                 std::vector<Message>& up) {
  if (stopped_) {
    return;
  }
  if (task_.receive(member, message, now, posts)) {
    if (!message.batch.empty()) {
      collected_.push_back({member, message.batch});
    }
    if (owed_ > 0 && task_.free() > 0) {
      report(Kind::hand_back, now, up);
    }
    balance(now, posts);
    if (message.kind == Kind::report) {
      task_.answer(member, now, posts);
    }
  }
  report_if_needed(now, up);
}

void Leader::receive_from_root(const Message& message, double now, Posts& posts, std::vector<Message>& up) {
  if (message.kind == Kind::assign) {
    take_assignment(message, now, posts, up);
  } else if (message.kind == Kind::require && !waiting_ && message.epoch == epoch_) {
    report(Kind::report, now, up);
  } else if (message.kind == Kind::credit && message.serial == serial_) {
    take_credit(now, posts);
  } else if (message.kind == Kind::refuse) {
    take_refusal(message, posts);
  } else if (message.kind == Kind::stop) {
    stopped_ = true;
    for (std::size_t i = 0; i < task_.workers(); ++i) {
      posts.push_back({i, message});
    }
  }
  report_if_needed(now, up);
}

void Leader::take_assignment(const Message& message, double now, Posts& posts, std::vector<Message>& up) {
  if (message.epoch != epoch_) {
    return;
  }
  task_.supply(message.granted);
  interval_ = message.interval;
  task_.set_outlook({message.seconds_left, std::max(message.spread, task_.predicted_spread(now)), now});
  if (waiting_ && !message.granted.empty()) {
    waiting_ = false;
    reported_at_ = now;
    meter_.restart(task_.predicted_done(now), now);
  }
  owed_ = std::max(Index{0}, task_.holds() - static_cast<Index>(std::ceil(message.target)));
  if (owed_ > 0 && !waiting_) {
    report(Kind::hand_back, now, up);
  }
  balance(now, posts);
}

void Leader::take_credit(double now, Posts& posts) {
  for (const Forwarded& forwarded : sent_) {
    task_.credit(forwarded.member, now, posts);
  }
  sent_.clear();
}

void Leader::take_refusal(const Message& message, Posts& posts) {
  if (message.epoch <= epoch_) {
    return;
  }
  epoch_ = message.epoch;
  // The root credits a batch as soon as it has it, so what has no verdict yet does not count.
  collected_.clear();
  sent_.clear();
  task_.revoke_all(std::vector<bool>(task_.workers(), false), posts);
  owed_ = 0;
  waiting_ = false;
}

void Leader::tick(double now, Posts& posts, std::vector<Message>& up) {
  if (stopped_) {
    return;
  }
  if (task_.tick(now, posts)) {
    balance(now, posts);
  }
  report_if_needed(now, up);
}

}  // namespace weft::iterations
