// Validates a model: its errors at sizes, and on machines, to which it was not fitted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "predict/predictor.hpp"

namespace weft::predict {

struct LeftOut {
  std::size_t run = 0;     // index of the observation
  double predicted = 0.0;  // seconds; NaN: the model had no answer
  double measured = 0.0;
};

struct Validation {
  std::vector<LeftOut> runs;
  double mape = 0.0;  // mean of |predicted / measured - 1|; NaN if the model had no answer for a run
  // x, the largest |ln(predicted / measured)|: predictions are reported as T / e^x to T e^x. This is no confidence
  // interval.
  double worst_log = 0.0;
};

// What an observation is left out with: all of the same number of ranks, or all of the same machine.
enum class LeaveOut : std::uint8_t { size, machine };

// Whether the observations have at least two values of it.
bool can_leave_out(LeaveOut what, std::span<const Observation> observations);

// For each observation, fits the model to those of other sizes (or machines) and predicts it. REQUIRES:
// can_leave_out().
Validation leave_one_out(const PredictorKind& kind, std::span<const Observation> observations, LeaveOut what);

}  // namespace weft::predict
