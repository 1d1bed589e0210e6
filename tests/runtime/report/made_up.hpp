// A short history for the tests of the reports.
#pragma once

#include <vector>

#include "runtime/report/history.hpp"

namespace weft::report {

// Two workers, the second with `second` seconds; a perfect plan.
inline StepRecord uneven_step(double at, double first, double second) {
  StepRecord step;
  step.at = at;
  step.interval = first + second;
  const double mean = (first + second) / 2;
  step.workers = {{.load = first, .contended = 0, .background = 0.25, .planned = mean},
                  {.load = second, .contended = 0, .background = 0, .planned = mean}};
  step.unmoved = 3;
  return step;
}

inline JobInfo two_workers() {
  JobInfo job;
  job.strategy = "greedy";
  job.when = "every:1";
  job.calls = "MPI_Migrate";
  job.ranks = 4;
  job.process_of = {0, 1};
  job.host_of = {0, 0};
  return job;
}

// Two steps: 1 and 3 seconds, a move, then 2 and 2.
inline History one_move() {
  History history;
  StepRecord step = uneven_step(4, 1, 3);
  step.homes = {0, 0, 0, 1};
  step.moves = 1;
  step.crossings = 1;
  step.bytes = 3 << 20;
  step.predicted_gain = 1;
  history.add(step);
  history.finish_last(0.25);
  history.add(uneven_step(8, 2, 2));
  history.finish_last(0.125);
  return history;
}

}  // namespace weft::report
