// From profiles and a catalogue to what may be rented: time, cost, and which of it is worth its price.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "predict/catalogue.hpp"
#include "predict/leave_one_out.hpp"
#include "predict/predictor.hpp"

namespace weft::predict {

// As a model's name: the one with the least error when each size of the profiles is left out.
inline constexpr const char* kLeastError = "least-error";

struct PredictionOptions {
  std::string model = kLeastError;                // whose times decide
  std::vector<std::uint32_t> ratios{1, 2, 4, 8};  // ranks on each core
  std::vector<PredictorKind> more{};              // models beside predictors()
  std::vector<std::uint32_t> ranks{};  // the program runs with these alone, up to the ratios; empty: with any number
};

struct FittedModel {
  PredictorKind kind;
  std::unique_ptr<Predictor> predictor;
  Validation validation;  // by leaving out each size in turn
};

// A machine with as many instances, at the ratio at which the model finds it fastest. Seconds.
struct Choice {
  Configuration where;
  double time = 0.0;
  double low = 0.0;  // time / e^x and time · e^x: Validation::worst_log
  double high = 0.0;
  double cost = 0.0;  // of all instances for this time
  bool on_front = false;
  bool is_knee = false;
  std::vector<double> times_of;  // by model
};

struct Prediction {
  std::vector<Observation> observations;
  std::vector<FittedModel> models{};
  std::size_t model = 0;          // that decides
  std::vector<Choice> choices{};  // by rising time; never empty
  std::string currency{};
};

// Instances of each machine are 1, 2, 4, … and as many as there are. Throws PredictError as check_observations() and
// predictor_named(), and where no number of ranks fits any machine or the model has no answer for any of them.
Prediction predict(std::vector<Observation> observations, const Catalogue& catalogue, const PredictionOptions& options);

}  // namespace weft::predict
