// Balancing decisions of process 0, and what the summary and the report say of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lb/decider.hpp"
#include "runtime/lbstep/tree_messages.hpp"
#include "runtime/meter/energy.hpp"
#include "runtime/meter/load_clock.hpp"
#include "runtime/report/history.hpp"
#include "runtime/setup/config.hpp"

namespace weft::runtime {
inline namespace lbstep {

// When steps are due, as lb::make_when() reads it, with the period.
std::string rule_of(const JobConfig& config);

// Every process has one for the rules; only process 0's learns of steps. One thread at a time.
class Balancer {
 public:
  // Throws base::OptionError for names that do not exist.
  explicit Balancer(const JobConfig& config, LoadClock clock = {});

  const lb::Decider& decider() const { return decider_; }
  // Whether nothing is to be measured any more.
  bool links_known() const { return links_known_; }
  void set_links(const lb::Links& links);

  // A step, from the loads of all ranks. Nobody moves unless they may; this step is one all the same.
  lb::Decision decide(lb::Observation observation, bool may_move);
  // A step that has been worked out in parts; likewise.
  lb::Choice choose(const Found& found, bool may_move);
  // The ranks stood still for so long, to plan and to move; with the last step's end.
  void paid(double seconds);

  // There will be no further step.
  void stop(std::string why) { stopped_by_ = std::move(why); }

  // The step that was decided last.
  std::uint64_t steps() const { return steps_; }
  std::uint64_t last_moves() const { return last_moves_; }
  double last_imbalance() const { return last_imbalance_; }

  // The table of all steps so far.
  std::string table();
  // At the end: the summary on standard error and the report's file, as the configuration says.
  void print_summary();

 private:
  report::Job described();
  report::StepRecord begin_report(const lb::Instance& measured, std::span<const lb::IntervalLoad> intervals) const;
  void keep_homes(report::StepRecord& step, const lb::Plan& homes);
  void end_report(report::StepRecord step);

  const JobConfig& config_;
  const LoadClock load_clock_;
  lb::Decider decider_;
  bool links_known_ = true;
  std::vector<lb::WorkerLoad> workers_;  // of the last step
  lb::Plan first_homes_;
  std::uint64_t steps_ = 0;
  std::uint64_t last_moves_ = 0;
  double last_imbalance_ = 1;
  report::History history_;
  std::string stopped_by_;
  std::uint64_t held_steps_ = 0;  // in which nobody might move
  std::size_t homes_kept_ = 0;
  const double began_;                 // seconds of the steady clock
  std::optional<EnergyMeter> energy_;  // of a job that balances
};

}  // namespace lbstep
}  // namespace weft::runtime
