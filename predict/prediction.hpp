// Predicts time and cost of a program on the machines of a catalogue, from profiles, and finds the best choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "predict/catalogue.hpp"
#include "predict/leave_one_out.hpp"
#include "predict/predictor.hpp"

namespace weft::predict {

// In place of a model's name: the model whose error is least when each size of the profiles is left out in turn. If the
// profiles are of several machines, the mean of that error and of the error with each machine left out counts.
inline constexpr const char* kLeastError = "least-error";

struct PredictionOptions {
  std::string model = kLeastError;                // whose times decide
  std::vector<std::uint32_t> ratios{1, 2, 4, 8};  // ranks per core
  std::vector<PredictorKind> more{};              // models besides predictors()
  std::vector<std::uint32_t> ranks{};  // the only numbers with which the program runs; empty: any, by the ratios
};

struct FittedModel {
  PredictorKind kind;
  std::unique_ptr<Predictor> predictor;
  Validation validation;                        // by leaving out each size in turn
  std::optional<Validation> machines_left_out;  // by leaving out each machine, if the profiles are of several

  // Mean error of the validations.
  [[nodiscard]] double error() const;
};

// A number of instances of a machine, with the ratio for which the model predicts the least time. Seconds.
struct Choice {
  Configuration where;
  double time = 0.0;
  // time / e^x and time · e^x, where x is Validation::worst_log with sizes left out or, on a machine without a profile,
  // with machines left out.
  double low = 0.0;
  double high = 0.0;
  double cost = 0.0;  // of all instances for `time`
  bool on_front = false;
  bool is_knee = false;
  std::vector<double> times_of;  // by model
};

struct Prediction {
  std::vector<Observation> observations;
  std::vector<FittedModel> models{};
  std::size_t model = 0;          // index of the model whose times decide
  std::vector<Choice> choices{};  // by rising time; never empty
  std::string currency{};
};

// Numbers of instances of each machine are 1, 2, 4, … and the largest available. Throws PredictError as
// check_observations() and index_of() do, and if the model has no answer for any machine and number of ranks.
Prediction predict(std::vector<Observation> observations, const Catalogue& catalogue, const PredictionOptions& options);

}  // namespace weft::predict
