// What the balancing steps of a job found and did, for the summary and the report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::report {

// One worker in the interval before a step. Seconds.
struct Sample {
  double load = 0;        // what its ranks took
  double contended = 0;   // what others took from them, as the balancer counts it
  double background = 0;  // all that others had of its core
  double planned = 0;     // `load` with the step's plan
};

struct StepRecord {
  double at = 0;            // seconds since the job's start
  double interval = 0;      // seconds since the step before
  std::uint64_t steps = 1;  // that this one stands for, where a long job's have been joined
  std::vector<Sample> workers;
  std::vector<std::uint32_t> homes;  // by rank: its worker after the step. Empty: as before
  double unmoved = 0;                // seconds of the longest worker if ranks were where they had been at first
  std::uint64_t moves = 0;
  std::uint64_t crossings = 0;  // of them, to another process
  std::uint64_t bytes = 0;      // that these took along
  double predicted_gain = 0;    // seconds until the next step
  double cost = 0;              // seconds that the ranks stood still, to plan and to move

  double longest() const;          // seconds of the worker with most load and contended background
  double longest_planned() const;  // the same with the plan
  double mean() const;
  double mean_planned() const;
  double imbalance() const { return mean() > 0 ? longest() / mean() : 1; }
  double planned_imbalance() const { return mean_planned() > 0 ? longest_planned() / mean_planned() : 1; }
};

struct Totals {
  std::uint64_t steps = 0;
  std::uint64_t moves = 0;
  std::uint64_t crossings = 0;
  std::uint64_t bytes = 0;
  double cost = 0;
  double first_imbalance = 1;
  double later_imbalance = 1;  // of all intervals but the first, by their seconds
  double gain = 0;             // seconds saved over staying where the ranks were at first, without `cost`
};

// What one whole job is.
struct Job {
  std::string strategy;
  std::string when;
  std::string calls;             // in which ranks come to a step
  std::string stopped_by;        // why no further step could be; empty: nothing stopped them
  std::uint64_t held_steps = 0;  // in which no rank might move: spawned ones had not ended
  std::uint32_t ranks = 0;
  std::string load_clock;                 // what loads are measured by, in words
  std::string counter;                    // its event; empty: the time stamp counter
  std::string links;                      // what messages cost (lb/links.hpp); empty: nobody asked
  std::vector<std::uint32_t> process_of;  // by worker
  std::vector<std::uint32_t> host_of;     // by worker
  double joules = 0;
  std::string joules_from;  // empty: not known
};

// Keeps at most so many samples of workers: then it joins steps, two and two.
class History {
 public:
  explicit History(std::size_t most_samples = std::size_t{1} << 20) : most_samples_(most_samples) {}

  void add(StepRecord step);
  // Of the step added last, which is over now.
  void finish_last(double cost);

  const std::vector<StepRecord>& steps() const { return steps_; }
  Totals totals() const;

 private:
  void join_steps();

  std::size_t most_samples_;
  std::uint64_t joined_ = 1;  // steps that one of steps_ stands for, but perhaps for the last
  std::vector<StepRecord> steps_;
  Totals totals_;
  double later_longest_ = 0;
  double later_mean_ = 0;
};

// `later` came right after `first`: what the two were together.
StepRecord joined(StepRecord first, const StepRecord& later);

}  // namespace weft::report
