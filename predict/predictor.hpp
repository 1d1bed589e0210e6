// What all models of run time have in common, and the simple ones that a better one has to beat.
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
  // Seconds; not a number where the model has no answer.
  [[nodiscard]] virtual double time(const Configuration& configuration) const = 0;
  // What the fit found, in one line; may be empty.
  [[nodiscard]] virtual std::string summary() const { return ""; }
};

struct PredictorKind {
  std::string_view name;
  std::string_view what;  // in a few words
  // REQUIRES: some observation.
  std::function<std::unique_ptr<Predictor>(std::span<const Observation>)> fit;
};

// Takes as long as the run with the nearest number of busy cores, and among those of ranks; both by ratio.
std::unique_ptr<Predictor> fit_nearest(std::span<const Observation> runs);
// T(p) = A / p + B (Amdahl 1967) on p busy cores, by least squares of relative errors, A and B not negative.
std::unique_ptr<Predictor> fit_amdahl(std::span<const Observation> runs);
// T(p) = A / p + B + C (p - 1): the universal scalability law (Gunther 1993), with A = T1 (1 - sigma), B = T1 sigma,
// C = T1 kappa.
std::unique_ptr<Predictor> fit_usl(std::span<const Observation> runs);
// Level 0: SeerModel.
std::unique_ptr<Predictor> fit_seer(std::span<const Observation> runs);

// All of them, those of levels first.
std::vector<PredictorKind> predictors();
// Where it stands among them. Throws PredictError that lists the names there are.
std::size_t index_of(std::string_view name, std::span<const PredictorKind> kinds);

}  // namespace weft::predict
