// The interface of models of run time, and simple models as a baseline.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "predict/observation.hpp"

namespace weft::predict {

class Predictor {
 public:
  virtual ~Predictor() = default;
  // Seconds; NaN: the model has no answer.
  [[nodiscard]] virtual double time(const Configuration& configuration) const = 0;
  // The result of the fit, in one line; may be empty.
  [[nodiscard]] virtual std::string summary() const { return ""; }
};

struct PredictorKind {
  std::string_view name;
  std::string_view what;  // short description
  // REQUIRES: at least one observation.
  std::function<std::unique_ptr<Predictor>(std::span<const Observation>)> fit;
};

// Predicts the time of the run with the nearest number of busy cores; among equals, of ranks. Nearest by ratio.
std::unique_ptr<Predictor> fit_nearest(std::span<const Observation> runs);
// T(p) = A / p + B (Amdahl 1967) on p busy cores, by least squares of relative errors, A and B not negative.
std::unique_ptr<Predictor> fit_amdahl(std::span<const Observation> runs);
// T(p) = A / p + B + C (p - 1): the universal scalability law (Gunther 1993), with A = T1 (1 - sigma), B = T1 sigma,
// C = T1 kappa.
std::unique_ptr<Predictor> fit_usl(std::span<const Observation> runs);
// Level 0: SeerModel.
std::unique_ptr<Predictor> fit_seer(std::span<const Observation> runs);

// All kinds, those with levels (docs/prediction.md) first.
std::vector<PredictorKind> predictors();
// The index of the kind with this name. Throws PredictError, which lists the existing names.
std::size_t index_of(std::string_view name, std::span<const PredictorKind> kinds);

}  // namespace weft::predict
