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

// Of one interval, by rank number: work, that is seconds at speed 1, so that a rank's home does not show in it. Where
// intervals differ in length, the caller divides by their number of calls.
struct LoadInterval {
  std::vector<double> work;
  // What ranks said of themselves (AMPI_Load_set_value). Empty: none did; negative: this one did not.
  std::vector<double> given = {};
};

// The last intervals, oldest first; as many as the model looks at.
class LoadHistory {
 public:
  explicit LoadHistory(std::size_t depth) : depth_(depth) {}
  void add(LoadInterval interval);
  void clear() { intervals_.clear(); }
  [[nodiscard]] const std::deque<LoadInterval>& intervals() const { return intervals_; }

 private:
  std::size_t depth_;
  std::deque<LoadInterval> intervals_;
};

class LoadModel {
 public:
  virtual ~LoadModel() = default;
  // Intervals that it looks at, at most.
  [[nodiscard]] virtual std::size_t depth() const = 0;
  // For each rank of the last interval; negative where the model has nothing to say. Empty for an empty history.
  [[nodiscard]] virtual std::vector<double> predict(const LoadHistory& history) const = 0;
};

// LB intervals last different numbers of migrate() calls, so a history holds each rank's work for one call.
// The calls from the last step's to this one's; at least one.
double calls_of_interval(std::uint64_t last_call, std::uint64_t call);
// The work of each rank in an interval of so many calls, from such a history.
std::vector<double> predict_interval(const LoadModel& model, const LoadHistory& history, double calls);

// One row of the table that help and options come from.
struct LoadModelInfo {
  std::string_view name;
  std::string_view argument;  // as help shows it; empty: takes none
  std::string_view help;
  std::unique_ptr<LoadModel> (*make)(std::string_view argument);
};
std::span<const LoadModelInfo> load_models();
// "last", "mean:0.3", "user/trend:8": the first model that has something to say of a rank counts, at last "last".
// Throws base::OptionError, which names the nearest model.
std::unique_ptr<LoadModel> make_load_model(std::string_view text);

// The work of each rank that was measured: a history's interval.
std::vector<double> measured_work(const Instance& measured);
// The instance with each rank's seconds replaced by its predicted work at its home's speed. `work` is by rank number.
Instance with_work(Instance instance, std::span<const double> work);

}  // namespace weft::lb
