// Load models predict each rank's work in the next interval from what it had in the last ones.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lb/strategy.hpp"

namespace weft::lb {

// One interval. Work is seconds at speed 1, so it does not depend on a rank's home; by rank number. If intervals differ
// in length, the caller divides by their number of calls.
struct LoadInterval {
  std::vector<double> work;
  // The loads that ranks set themselves (AMPI_Load_set_value); `work` contains them too. Empty: none did; negative:
  // this rank did not. The simulator leaves it empty: recordings do not tell such loads from measured ones.
  std::vector<double> given = {};
};

// The last intervals, oldest first; as many as the model uses.
class LoadHistory {
 public:
  explicit LoadHistory(std::size_t depth) : depth_(depth) {}
  void add(LoadInterval interval);
  [[nodiscard]] const std::deque<LoadInterval>& intervals() const { return intervals_; }

 private:
  std::size_t depth_;
  std::deque<LoadInterval> intervals_;
};

class LoadModel {
 public:
  virtual ~LoadModel() = default;
  // The largest number of intervals that it uses.
  [[nodiscard]] virtual std::size_t depth() const = 0;
  // A prediction for each rank of the last interval; negative: the model has none. Empty for an empty history.
  [[nodiscard]] virtual std::vector<double> predict(const LoadHistory& history) const = 0;
};

// LB intervals have different numbers of calls of MPI_Migrate, so a history holds each rank's work for one call.
// Returns the number of calls from the last step to this one; at least 1.
double calls_of_interval(std::uint64_t last_call, std::uint64_t call);
// Predicts the work of each rank in an interval of `calls` calls, from such a history.
std::vector<double> predict_interval(const LoadModel& model, const LoadHistory& history, double calls);

// One row of the table that help and options come from.
struct LoadModelInfo {
  std::string_view name;
  std::string_view argument;  // as help shows it; empty: takes none
  std::string_view help;
  std::unique_ptr<LoadModel> (*make)(std::string_view argument);
};
std::span<const LoadModelInfo> load_models();
// "last", "mean:0.3", "user/trend:8": for each rank the first model with a prediction counts; "last" is always the last
// one. Throws base::OptionError, which names the most similar model.
std::unique_ptr<LoadModel> make_load_model(std::string_view text);

// The measured work of each rank, for a history.
std::vector<double> measured_work(const Instance& measured);
// The work of these ranks, for LoadInterval::given.
std::vector<double> given_work(std::span<const double> work, std::span<const RankId> declared);
// The instance with each rank's seconds replaced by its predicted work at its home's speed. `work` is by rank number.
Instance with_work(Instance instance, std::span<const double> work);

}  // namespace weft::lb
