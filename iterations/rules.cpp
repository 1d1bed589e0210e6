#include "iterations/rules.hpp"

#include <algorithm>
#include <cmath>

namespace weft::iterations {

double WorkerRecord::predicted_done(double now) const {
  return std::max(done, std::min(assigned, done + speed * (now - reported_at)));
}

double add_measure(WorkerRecord& worker, const Measure& measure) {
  double ratio = 1;
  if (measure.elapsed > 0) {
    const double speed = std::max(0.0, measure.progress) / measure.elapsed;
    ratio = worker.speed > 0 ? speed / worker.speed : 1;
    worker.speed = speed;
  }
  worker.done = measure.done;
  worker.worked += measure.elapsed;
  worker.reported_at = measure.now;
  return ratio;
}

double add_guess_measure(WorkerRecord& worker, const Measure& measure) {
  if (worker.speed <= 0 || measure.elapsed <= 0) {
    return add_measure(worker, measure);
  }
  double ratio = 1;
  if (measure.progress < 0) {
    const double before = worker.worked > 0 ? worker.done / worker.worked : worker.speed;  // s_1
    ratio = measure.done / (worker.worked + measure.elapsed) / before;                     // s_2 / s_1
  } else {
    ratio = measure.progress / (worker.speed * measure.elapsed);  // Delta I_r / Delta I_e
  }
  worker.speed *= ratio;
  worker.done = measure.done;
  worker.worked += measure.elapsed;
  worker.reported_at = measure.now;
  return ratio;
}

void MeanSpeed::add(double progress, double elapsed, double memory_seconds) {
  const double weight = std::exp(-elapsed / memory_seconds);
  progress_ = weight * progress_ + std::max(0.0, progress);
  elapsed_ = weight * elapsed_ + elapsed;
}

double next_interval(double interval, double ratio, const Limits& limits) {
  const double deviation = std::abs(ratio - 1);
  if (deviation > limits.max_deviation) {
    interval *= std::max(1 - (deviation - limits.max_deviation), 0.8);
  } else if (deviation < 0.1 * limits.max_deviation) {
    interval *= std::min(1 + (0.5 * limits.max_deviation - deviation), 1.2);
  }
  return std::min(interval, limits.checkpoint_seconds);
}

Checkpoint checkpoint(std::span<WorkerRecord> workers, double total, double now, const Limits& limits) {
  double speed = 0, done = 0, predicted = 0;
  for (const WorkerRecord& worker : workers) {
    done += worker.done;
    speed += worker.working ? worker.speed : 0;
    predicted += worker.working ? worker.predicted_done(now) : worker.done;
  }
  Checkpoint found;
  if (total <= done) {
    found.all_done = true;
    found.seconds_left = 0;
    for (WorkerRecord& worker : workers) {
      worker.assigned = worker.working ? worker.done : worker.assigned;
    }
    return found;
  }
  if (speed <= 0) {
    return found;
  }
  found.seconds_left = std::max(0.0, total - predicted) / speed;
  found.reassigned = found.seconds_left > limits.min_seconds;
  if (found.reassigned) {
    for (WorkerRecord& worker : workers) {
      worker.assigned = worker.working ? worker.done + worker.speed / speed * (total - done) : worker.assigned;
    }
  }
  return found;
}

Finish predicted_finish(std::span<const WorkerRecord> workers, double now) {
  Finish finish;
  bool any = false;
  for (const WorkerRecord& worker : workers) {
    if (worker.working && worker.speed > 0) {
      const double left = (worker.assigned - worker.predicted_done(now)) / worker.speed;
      finish.earliest = any ? std::min(finish.earliest, left) : left;
      finish.latest = any ? std::max(finish.latest, left) : left;
      any = true;
    }
  }
  return finish;
}

}  // namespace weft::iterations
