// When a balancing step is due and whether its plan is worth carrying out. Pure: whoever has a clock says what steps
// took.
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

// What a plan is worth, in seconds.
struct Verdict {
  bool move = true;
  double gain = 0.0;  // until the next step, as predicted
  double cost = 0.0;  // of the moves, as predicted
};

// What a plan changes: seconds of the longest worker before and after, and its moves.
struct Outlook {
  double before = 0.0;
  double after = 0.0;
  Moves moves;
};
// `predicted` is the instance that the plan was made from: its loads are those of an interval as long as the last.
Outlook outlook_of(const Instance& predicted, const Plan& plan);

// One rule of when, with its state. Process 0 has one; the others get next_call() with each plan. At a step that is
// due it calls, in this order: observe(), then (after the strategy) judge(), then paid() as soon as the step's cost is
// known, at the latest before the next observe().
class When {
 public:
  virtual ~When() = default;
  // The call of MPI_Migrate, counted from 1, at which the next step is due.
  [[nodiscard]] virtual std::uint64_t next_call() const = 0;
  // `measured` holds what was measured since the last step, all its calls together. `supersteps`, where they are known,
  // hold for each of these calls the seconds of each worker.
  virtual void observe(std::uint64_t call, const Instance& measured,
                       std::span<const std::vector<double>> supersteps = {}) = 0;
  virtual Verdict judge(const Outlook& outlook) = 0;
  virtual void paid(const StepCost& step) = 0;
};

// One row of the table that help and options come from.
struct WhenInfo {
  std::string_view name;
  std::string_view argument;  // as help shows it; empty: takes none
  std::string_view help;
  std::unique_ptr<When> (*make)(std::string_view argument);
};
std::span<const WhenInfo> when_rules();
// "every:5", "auto", "migbsp:4"; throws base::OptionError, which names the nearest rule.
std::unique_ptr<When> make_when(std::string_view text);
// Of such a text: k of "every:k", 1 of "every"; 0 for other rules.
std::uint64_t period_of(std::string_view text);

// Every k-th call; every plan is carried out.
class EveryKth final : public When {
 public:
  explicit EveryKth(std::uint64_t k) : k_(k), next_(k) {}
  [[nodiscard]] std::uint64_t next_call() const override { return next_; }
  void observe(std::uint64_t call, const Instance& measured, std::span<const std::vector<double>> supersteps) override;
  Verdict judge(const Outlook& outlook) override;
  void paid(const StepCost&) override {}

 private:
  std::uint64_t k_;
  std::uint64_t next_;
};

struct AutoOptions {
  double least_gain = 0.01;  // a plan that shortens the interval by a smaller part is noise
  double overhead = 0.005;   // part of the run that steps without moves may take
  std::uint64_t longest_interval = 1024;
  // Calls between two steps where there has been nothing to gain for as many steps: in a step all ranks wait for the
  // last.
  std::uint64_t calm_interval = 8;
};

// Carries a plan out when what it gains until the next step, and would have gained since it first paid, is more than
// such moves have cost. Waiting until the loss equals the price is never worse than twice the best choice made with
// foresight (the ski-rental rule; Karlin, Manasse, Rudolph, Sleator 1988). The predicted gain is scaled by the part of
// earlier predictions that came true, so a strategy that chases noise loses its credit.
class Auto final : public When {
 public:
  explicit Auto(const AutoOptions& options = {}) : options_(options) {}
  [[nodiscard]] std::uint64_t next_call() const override { return last_call_ + interval_; }
  void observe(std::uint64_t call, const Instance& measured, std::span<const std::vector<double>> supersteps) override;
  Verdict judge(const Outlook& outlook) override;
  void paid(const StepCost& step) override;
  [[nodiscard]] double trust() const { return trust_; }
  [[nodiscard]] const MoveCost& cost() const { return cost_; }

 private:
  AutoOptions options_;
  MoveCost cost_;
  std::uint64_t last_call_ = 0;
  std::uint64_t interval_ = 1;
  std::uint64_t calm_steps_ = 0;   // without anything to gain, one after the other
  std::uint64_t calls_ = 1;        // in the last interval
  double seconds_per_call_ = 0.0;  // in the last interval, of the worker that took longest
  double trust_ = 1.0;             // part of the predicted gains that came true
  double missed_ = 0.0;            // seconds that plans not carried out would have gained
  double expected_before_ = 0.0;   // seconds per call with and without the moves of the last step; 0: there were none
  double expected_after_ = 0.0;
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
  Verdict judge(const Outlook& outlook) override;
  void paid(const StepCost&) override {}
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
