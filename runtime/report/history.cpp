#include "runtime/report/history.hpp"

#include <algorithm>
#include <utility>

namespace weft::report {
namespace {

double longest_of(const StepRecord& step, double WorkerSample::*load) {
  double longest = 0;
  for (const WorkerSample& sample : step.workers) {
    // A worker without load delays nobody.
    longest = std::max(longest, sample.*load > 0 ? sample.*load + sample.contended : 0);
  }
  return longest;
}

double mean_of(const StepRecord& step, double WorkerSample::*load) {
  double sum = 0;
  for (const WorkerSample& sample : step.workers) {
    sum += sample.*load + sample.contended;
  }
  return step.workers.empty() ? 0 : sum / static_cast<double>(step.workers.size());
}

}  // namespace

double StepRecord::longest() const { return longest_of(*this, &WorkerSample::load); }
double StepRecord::longest_planned() const { return longest_of(*this, &WorkerSample::planned); }
double StepRecord::mean() const { return mean_of(*this, &WorkerSample::load); }
double StepRecord::mean_planned() const { return mean_of(*this, &WorkerSample::planned); }

StepRecord joined(StepRecord first, const StepRecord& later) {
  first.at = later.at;
  first.interval += later.interval;
  first.steps += later.steps;
  for (std::size_t w = 0; w < first.workers.size(); ++w) {
    first.workers[w].load += later.workers[w].load;
    first.workers[w].contended += later.workers[w].contended;
    first.workers[w].background += later.workers[w].background;
    first.workers[w].planned += later.workers[w].planned;
  }
  if (!later.homes.empty()) {
    first.homes = later.homes;
  }
  first.unmoved += later.unmoved;
  first.moves += later.moves;
  first.crossings += later.crossings;
  first.bytes += later.bytes;
  first.predicted_gain += later.predicted_gain;
  first.cost += later.cost;
  return first;
}

void History::add(StepRecord step) {
  if (totals_.steps == 0) {
    totals_.first_imbalance = step.imbalance();
  } else {
    later_longest_ += step.longest();
    later_mean_ += step.mean();
    totals_.gain += step.unmoved - step.longest();
  }
  ++totals_.steps;
  totals_.moves += step.moves;
  totals_.crossings += step.crossings;
  totals_.bytes += step.bytes;
  if (!steps_.empty() && steps_.back().steps < joined_) {
    steps_.back() = joined(std::move(steps_.back()), step);
    return;
  }
  if ((steps_.size() + 1) * std::max<std::size_t>(1, step.workers.size()) > most_samples_) {
    join_steps();
  }
  steps_.push_back(std::move(step));
}

void History::add(const FinishPrediction& prediction) {
  if (predictions_.size() == kMostPredictions) {
    for (std::size_t i = 0; i < kMostPredictions / 2; ++i) {
      predictions_[i] = predictions_[2 * i];
    }
    predictions_.resize(kMostPredictions / 2);
  }
  predictions_.push_back(prediction);
}

void History::finish_last(double cost) {
  totals_.cost += cost;
  steps_.back().cost += cost;
}

void History::join_steps() {
  joined_ *= 2;
  std::vector<StepRecord> fewer;
  for (std::size_t i = 0; i < steps_.size(); i += 2) {
    fewer.push_back(i + 1 < steps_.size() ? joined(std::move(steps_[i]), steps_[i + 1]) : std::move(steps_[i]));
  }
  steps_ = std::move(fewer);
}

Totals History::totals() const {
  Totals totals = totals_;
  totals.later_imbalance = later_mean_ > 0 ? later_longest_ / later_mean_ : totals.first_imbalance;
  return totals;
}

}  // namespace weft::report
