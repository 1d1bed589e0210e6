// How far a model is off at sizes that it was not fitted to.
#pragma once

#include <span>
#include <vector>

#include "predict/predictor.hpp"

namespace weft::predict {

struct LeftOut {
  std::size_t run = 0;     // of the observations
  double predicted = 0.0;  // seconds; not a number where the model had no answer
  double measured = 0.0;
};

struct Validation {
  std::vector<LeftOut> runs;
  double mape = 0.0;  // mean of |predicted / measured - 1|; not a number where the model had no answer for one
  // The largest of |ln(predicted / measured)|: predictions are given as T / e^x to T e^x. That is no probability.
  double worst_log = 0.0;
};

// For each observation, fits to those of other sizes and predicts it. REQUIRES: two sizes or more.
Validation leave_one_out(const PredictorKind& kind, std::span<const Observation> observations);

}  // namespace weft::predict
