// Validates a model: its errors at sizes to which it was not fitted.
#pragma once

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

// For each observation, fits the model to the observations of other sizes and predicts it. REQUIRES: at least two
// sizes.
Validation leave_one_out(const PredictorKind& kind, std::span<const Observation> observations);

}  // namespace weft::predict
