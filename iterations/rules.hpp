// The rules of RUPER-LB (Gimenez-Alventosa 2020) as pure functions: no clocks, no messages. Times in seconds, work in
// iterations, speeds in iterations per second. Names are those of the paper's Table 1.
#pragma once

#include <cstdint>
#include <span>

namespace weft::iterations {

// Gimenez-Alventosa 2020, Table 1: the balancer's options.
struct Limits {
  double checkpoint_seconds = 300;  // Delta t_pc: longest time between two reports of a worker
  double max_deviation = 0.1;       // ds_max
  double min_seconds = 3;           // t_min: with less than this left, nothing is shared out again
};

// Gimenez-Alventosa 2020, Table 1, left: what a task knows of a worker.
struct WorkerRecord {
  double assigned = 0;     // I_n
  double done = 0;         // I_d, as last reported
  double speed = 0;        // last entry of m; 0: not measured, or silent
  double reported_at = 0;  // t_r, by the task's clock
  double worked = 0;       // t_r - t_i: how long the worker had worked at its last report
  bool working = false;    // it takes part: started and neither finished nor silent

  // predDone(t): iterations done at time t if the speed has stayed as it was; never more than are assigned.
  [[nodiscard]] double predicted_done(double now) const;
};

// A worker's report: it has done `done` iterations in all, and `progress` of them in the `elapsed` seconds between its
// last measure and this one. It measures by its own clock, so that clocks of hosts need not agree.
struct Measure {
  double done = 0;
  double elapsed = 0;   // 0: the speed was not measured
  double progress = 0;  // negative where a guess worker had predicted more than was done
  double now = 0;       // the task's clock
};

// Fig. 2, right (addMeasure of a worker): s = (I_done - I_d) / (t - t_r), here progress / elapsed. Returns s / s_last,
// and 1 where there is no last speed. Without a measure only I_d changes.
double add_measure(WorkerRecord& worker, const Measure& measure);

// Fig. 3, right (addMeasure of a guess worker, which stands for a whole process and reports predictions): the last
// speed times what was done over what was expected. If the last speed is 0, add_measure() computes the new one; where
// the paper passes I_n to it, this passes I_done. Returns dev. Without a measure only I_d changes.
double add_guess_measure(WorkerRecord& worker, const Measure& measure);

// The mean of a worker's speeds, for predictions. The paper has no such mean: it predicts from the last speed alone.
class MeanSpeed {
 public:
  // A measure of `seconds` ago weighs less by a factor of exp(-seconds / memory_seconds).
  void add(double progress, double elapsed, double memory_seconds);
  [[nodiscard]] bool known() const { return elapsed_ > 0; }
  [[nodiscard]] double get() const { return progress_ / elapsed_; }

 private:
  double progress_ = 0, elapsed_ = 0;
};

// Fig. 2, left (report): seconds until the next report after one whose speed was `ratio` times the last one's.
// |ratio - 1| > ds_max: the interval times max(1 - (dev - ds_max), 0.8); below 0.1 ds_max: times
// min(1 + (0.5 ds_max - dev), 1.2); never longer than Delta t_pc.
double next_interval(double interval, double ratio, const Limits& limits);

// What a checkpoint found.
struct Checkpoint {
  bool all_done = false;     // the reported iterations are all there are: assigned = done for each working worker
  bool reassigned = false;   // `assigned` of the working workers was computed anew
  double seconds_left = -1;  // t_res; negative: no speed is known
};

// Fig. 3, left (checkPoint): t_res = (I_n - I_pred) / sum of s. If t_res > t_min, each working worker gets
// I_n,i = I_d,i + s_i / (sum of s) * (I_n - I_t), with I_t the sum of I_d over all workers.
Checkpoint checkpoint(std::span<WorkerRecord> workers, double total, double now, const Limits& limits);

// When workers are expected to be finished, in seconds from now.
struct Finish {
  double earliest = 0;
  double latest = 0;
};

// (I_n - predDone) / s over the working workers with a speed.
Finish predicted_finish(std::span<const WorkerRecord> workers, double now);

}  // namespace weft::iterations
