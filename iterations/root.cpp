#include <algorithm>
#include <utility>

#include "iterations/roles.hpp"

namespace weft::iterations {

Root::Root(const Limits& limits, const RangeSet& indices, std::vector<double> weights)
    : task_(limits, std::move(weights), true), total_(static_cast<double>(indices.count())) {
  task_.supply(indices);
}

void Root::stop_if_done(Posts& posts) {
  stopped_ = task_.credited() == static_cast<Index>(total_);
  for (std::size_t i = 0; stopped_ && i < task_.workers(); ++i) {
    Message message;
    message.kind = Kind::stop;
    posts.push_back({i, message});
  }
}

// t_res of Gimenez-Alventosa 2020, Fig. 3.
void Root::look_out(double now) {
  const double speed = task_.speed();
  if (speed > 0) {
    task_.set_outlook({std::max(0.0, total_ - task_.predicted_done(now)) / speed, task_.predicted_spread(now), now});
  }
}

void Root::receive(std::size_t group, const Message& message, double now, Posts& posts) {
  if (stopped_) {
    return;
  }
  const bool counts = task_.receive(group, message, now, posts);
  if (counts) {
    task_.credit(group, now, posts);
  }
  stop_if_done(posts);
  if (stopped_) {
    return;
  }
  look_out(now);
  task_.balance(total_, now, posts);
  if (counts && message.kind == Kind::report) {
    task_.answer(group, now, posts);
  }
}

void Root::tick(double now, Posts& posts) {
  if (!stopped_ && task_.tick(now, posts)) {
    task_.balance(total_, now, posts);
  }
}

}  // namespace weft::iterations
