// Rules that decide when a balancing step is due and whether its plan is carried out. They have no clock: the caller
// tells them what steps took.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lb/loads.hpp"
#include "lb/move_cost.hpp"
#include "lb/strategy.hpp"

namespace weft::lb {

// Whether a plan is carried out, and its value in seconds.
struct Evaluation {
  bool move = true;
  double gain = 0.0;  // predicted, until the next step
  double cost = 0.0;  // predicted, of the moves
};

// The effect of a plan: seconds of the longest worker before and after, and the moves.
struct PlanEffect {
  double before = 0.0;
  double after = 0.0;
  Moves moves;
};
// `predicted`: the instance from which the plan was made; its loads are those of an interval as long as the last one.
PlanEffect effect_of(const Instance& predicted, const Plan& plan);

// One rule of when, and its state. Process 0 has one; the others get next_call() with each plan. At a step that is
// due it calls, in this order: observe(), then (after the strategy) evaluate(), then record_cost() as soon as the
// step's cost is known, at the latest before the next observe().
class When {
 public:
  virtual ~When() = default;
  // The call of MPI_Migrate, counted from 1, at which the next step is due.
  [[nodiscard]] virtual std::uint64_t next_call() const = 0;
  // `measured`: the loads since the last step, sums over all calls. `supersteps`, if known: for each of these calls the
  // seconds of each worker.
  virtual void observe(std::uint64_t call, const Instance& measured,
                       std::span<const std::vector<double>> supersteps = {}) = 0;
  virtual Evaluation evaluate(const PlanEffect& effect) = 0;
  virtual void record_cost(const StepCost& step) = 0;
};

// One row of the table that help and options come from.
struct WhenInfo {
  std::string_view name;
  std::string_view argument;  // as help shows it; empty: takes none
  std::string_view help;
  std::unique_ptr<When> (*make)(std::string_view argument);
};
std::span<const WhenInfo> when_rules();
// "every:5", "auto", "migbsp:4". Throws base::OptionError, which names the most similar rule.
std::unique_ptr<When> make_when(std::string_view text);
// The period of such a rule: k for "every:k", 1 for "every", 0 for other rules.
std::uint64_t period_of(std::string_view text);

// Every k-th call; every plan is carried out.
class EveryKth final : public When {
 public:
  explicit EveryKth(std::uint64_t k) : k_(k), next_(k) {}
  [[nodiscard]] std::uint64_t next_call() const override { return next_; }
  void observe(std::uint64_t call, const Instance& measured, std::span<const std::vector<double>> supersteps) override;
  Evaluation evaluate(const PlanEffect& effect) override;
  void record_cost(const StepCost&) override {}

 private:
  std::uint64_t k_;
  std::uint64_t next_;
};

struct AutoOptions {
  double least_gain = 0.01;  // plans that shorten the interval by a smaller part count as noise
  double overhead = 0.005;   // part of the run that steps without moves may take
  std::uint64_t longest_interval = 1024;
  // After k successive steps without a gain the interval is at least k calls, but this lower limit is at most
  // calm_interval. Such steps are not free, since all ranks wait for the last one to arrive.
  std::uint64_t calm_interval = 8;
};

// Carries out a plan when its gain until the next step, plus the gains missed since a plan was first worthwhile,
// exceeds the cost of its moves. Waiting until the loss equals the price is never worse than twice the best choice made
// with foresight (the ski-rental rule; Karlin, Manasse, Rudolph, Sleator 1988). The predicted gain is multiplied by
// the part of earlier predicted gains that was realized, so a strategy that follows noise makes fewer moves.
class AutoWhen final : public When {
 public:
  explicit AutoWhen(const AutoOptions& options = {}) : options_(options) {}
  [[nodiscard]] std::uint64_t next_call() const override { return last_call_ + interval_; }
  void observe(std::uint64_t call, const Instance& measured, std::span<const std::vector<double>> supersteps) override;
  Evaluation evaluate(const PlanEffect& effect) override;
  void record_cost(const StepCost& step) override;
  [[nodiscard]] double trust() const { return trust_; }

 private:
  AutoOptions options_;
  MoveCost cost_;
  std::uint64_t last_call_ = 0;
  std::uint64_t interval_ = 1;
  std::uint64_t calm_steps_ = 0;   // successive steps without a gain
  std::uint64_t calls_ = 1;        // in the last interval
  double seconds_per_call_ = 0.0;  // in the last interval, of the worker that took longest
  double trust_ = 1.0;             // part of the predicted gains that was realized
  double missed_ = 0.0;            // seconds that plans not carried out would have gained
  double expected_before_ = 0.0;   // predicted seconds per call without the last step's moves; 0: there were none
  double expected_after_ = 0.0;    // with them
};

// Righi 2009 (MigBSP), chapter 4.5; the defaults are those of its experiments (5.3: LU).
struct MigbspOptions {
  std::uint64_t alpha = 4;  // calls between two steps, at first
  double distance = 0.5;    // D: how far from the average the slowest and the fastest may be
  std::uint32_t omega = 3;  // steps without moves after which D grows
};

class MigbspWhen final : public When {
 public:
  explicit MigbspWhen(const MigbspOptions& options = {});
  [[nodiscard]] std::uint64_t next_call() const override { return last_call_ + alpha_; }
  void observe(std::uint64_t call, const Instance& measured, std::span<const std::vector<double>> supersteps) override;
  Evaluation evaluate(const PlanEffect& effect) override;
  void record_cost(const StepCost&) override {}
  [[nodiscard]] std::uint64_t alpha() const { return alpha_; }
  [[nodiscard]] double distance() const { return distance_; }

 private:
  void superstep(std::span<const double> seconds);  // Algorithm 3, lines 2-6
  void rescheduled(bool migrated);                  // Algorithm 4

  MigbspOptions options_;
  std::uint64_t alpha_;
  std::uint64_t next_alpha_;  // alpha' of Algorithm 3
  double distance_;
  std::uint32_t idle_steps_ = 0;  // gamma of Algorithm 4
  std::uint64_t last_call_ = 0;
};

}  // namespace weft::lb
