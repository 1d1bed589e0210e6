// The role of rank 0: class Root of roles.hpp.
#include <algorithm>
#include <utility>

#include "iterations/roles.hpp"

namespace weft::iterations {

Root::Root(const Limits& limits, const RangeSet& indices, std::vector<double> weights)
    : task_(limits, std::move(weights), true), total_(static_cast<double>(indices.count())) {
  task_.supply(indices);
}

void Root::stop_if_done(DownMessages& down) {
  stopped_ = task_.credited() == static_cast<Index>(total_);
  for (std::size_t i = 0; stopped_ && i < task_.workers(); ++i) {
    Message message;
    message.kind = MessageKind::stop;
    down.push_back({i, message});
  }
}

// t_res of Gimenez-Alventosa 2020, Fig. 3, with mean speeds: a last speed says too little of the rest of the run.
void Root::update_prediction(double now) {
  const double speed = task_.mean_speed();
  if (speed > 0) {
    task_.set_prediction({std::max(0.0, total_ - task_.predicted_done(now)) / speed, task_.predicted_spread(now), now});
  }
}

void Root::receive(std::size_t group, const Message& message, double now, DownMessages& down) {
  if (stopped_) {
    return;
  }
  const bool counts = task_.receive(group, message, now, down);
  if (counts) {
    task_.credit(group, now, down);
  }
  stop_if_done(down);
  if (stopped_) {
    return;
  }
  task_.balance(total_, now, down);
  update_prediction(now);  // after balance(), which assumes a speed of groups that have not reported yet
  if (counts && message.kind == MessageKind::report) {
    task_.answer(group, now, down);
  }
}

void Root::tick(double now, DownMessages& down) {
  if (!stopped_ && task_.tick(now, down)) {
    task_.balance(total_, now, down);
    update_prediction(now);
  }
}

}  // namespace weft::iterations
