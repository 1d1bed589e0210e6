// What the balancing steps of a job have found and done, for the summary and the report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::report {

// A worker in the interval before a step. Seconds.
struct WorkerSample {
  double load = 0;        // of its ranks
  double contended = 0;   // time that others took from its ranks, as the balancer counts it
  double background = 0;  // all time for which others had its core
  double planned = 0;     // `load` if the step's plan had been in force
};

struct StepRecord {
  double at = 0;            // seconds since the job's start
  double interval = 0;      // seconds since the step before
  std::uint64_t steps = 1;  // how many steps this record stands for, where those of a long job have been joined
  std::vector<WorkerSample> workers;
  std::vector<std::uint32_t> homes;  // by rank: its worker after the step. Empty: as before
  double unmoved = 0;                // seconds of the longest worker if no rank had moved since the start
  std::uint64_t moves = 0;
  std::uint64_t crossings = 0;  // moves to another process
  std::uint64_t bytes = 0;      // that the crossings transferred
  double predicted_gain = 0;    // seconds, until the next step
  double cost = 0;              // seconds for which the ranks were stopped, to plan and to move

  double longest() const;          // seconds of the worker with most load and contended background
  double longest_planned() const;  // the same with the plan
  double mean() const;
  double mean_planned() const;
  double imbalance() const { return mean() > 0 ? longest() / mean() : 1; }
  double planned_imbalance() const { return mean_planned() > 0 ? longest_planned() / mean_planned() : 1; }
};

// What a library that shares out work among ranks expects (weft_note_prediction()). Seconds.
struct FinishPrediction {
  double at = 0;      // since the job's start
  double left = 0;    // until all work is done
  double spread = 0;  // between the first and the last to finish, if nothing were shared out again
};

struct Totals {
  std::uint64_t steps = 0;
  std::uint64_t moves = 0;
  std::uint64_t crossings = 0;
  std::uint64_t bytes = 0;
  double cost = 0;
  double first_imbalance = 1;
  double later_imbalance = 1;  // of all intervals but the first, weighted by their seconds
  double gain = 0;             // seconds saved compared with no moves at all, before `cost` (seconds) is subtracted
};

// What the summary and the report say about the job itself.
struct JobInfo {
  std::string strategy;
  std::string when;
  std::string calls;             // that can be balancing steps
  std::string stopped_by;        // why steps were disabled; empty: they were not
  std::uint64_t held_steps = 0;  // in which no rank was allowed to move, since spawned ones had not ended
  std::string pinned;            // a rank that could not leave its process in some step, and why; empty: all could
  std::uint32_t ranks = 0;
  std::string load_clock;                 // a description of the clock that measures loads
  std::string counter;                    // its event; empty: the time stamp counter
  std::string links;                      // the cost of messages (lb/links.hpp); empty: not measured
  std::vector<std::uint32_t> process_of;  // by worker
  std::vector<std::uint32_t> host_of;     // by worker
  double joules = 0;
  std::string joules_from;  // empty: not known
};

// Keeps at most so many samples of workers: when there are more it joins each two consecutive steps. Of predictions it
// keeps at most kMostPredictions: when there are more it drops every second one.
class History {
 public:
  static constexpr std::size_t kMostPredictions = 4096;

  explicit History(std::size_t most_samples = std::size_t{1} << 20) : most_samples_(most_samples) {}

  void add(StepRecord step);
  // Adds the cost, in seconds, of the step added last, which is over now. REQUIRES: a step has been added.
  void finish_last(double cost);

  void add(const FinishPrediction& prediction);

  const std::vector<StepRecord>& steps() const { return steps_; }
  const std::vector<FinishPrediction>& predictions() const { return predictions_; }
  Totals totals() const;

 private:
  void join_steps();

  std::size_t most_samples_;
  std::uint64_t joined_ = 1;  // how many steps each of steps_ stands for; the last one may stand for fewer
  std::vector<StepRecord> steps_;
  std::vector<FinishPrediction> predictions_;
  Totals totals_;
  double later_longest_ = 0;
  double later_mean_ = 0;
};

// The record of two consecutive steps as one.
StepRecord joined(StepRecord first, const StepRecord& later);

}  // namespace weft::report
