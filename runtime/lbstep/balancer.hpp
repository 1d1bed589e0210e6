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

// The rule for when steps are due, in the format of lb::make_when(), with the period.
std::string rule_of(const JobConfig& config);

// Every process has one, since all need the strategy and the costs of messages; only process 0's is told about steps.
// Guarded by the step's lock while ranks run. The costs of messages are also read by ranks that are in no step.
class Balancer {
 public:
  // Throws base::OptionError for names that do not exist.
  explicit Balancer(const JobConfig& config, LoadClock clock = {});

  const lb::Decider& decider() const { return decider_; }
  // True when the costs of messages need not be measured (any more).
  bool links_known() const { return links_known_; }
  void set_links(const lb::Links& links);

  // Decides a step from the loads of all ranks. If not `may_move` no rank moves, but the step counts all the same.
  lb::Decision decide(lb::Observation observation, bool may_move);
  // Chooses a plan for a hierarchical step. `may_move` as above.
  lb::MoveScope choose(const StepSums& sums, bool may_move);
  // Tells the decider how long the ranks stood still for the last step, for planning and moving.
  void record_cost(double seconds);

  // For the report: what a library that shares out work expects now.
  void add_prediction(double left, double spread);

  // Notes why there will be no further step, for the summary.
  void stop(std::string why) { stopped_by_ = std::move(why); }

  // A rank could not leave its process in this step, and why. The summary names the last one.
  void note_pinned(const std::string& rank) { pinned_ = rank; }

  // Numbers of the last decided step.
  std::uint64_t steps() const { return steps_; }
  std::uint64_t last_moves() const { return last_moves_; }
  double last_imbalance() const { return last_imbalance_; }

  // The table of all steps so far.
  std::string table();
  // Called at the end: prints the summary on standard error if the job balances, and writes the report's file, as the
  // configuration says.
  void print_summary();

 private:
  report::JobInfo described();
  report::StepRecord begin_report(const lb::Instance& measured, std::span<const trace::WorkerInterval> intervals) const;
  void keep_homes(report::StepRecord& step, const lb::Plan& homes);
  void end_report(report::StepRecord step);

  const JobConfig& config_;
  const LoadClock load_clock_;
  lb::Decider decider_;
  bool links_known_ = true;
  std::vector<lb::WorkerLoad> workers_;  // of the last step
  lb::Plan first_homes_;                 // by rank: in the first step
  std::uint64_t steps_ = 0;
  std::uint64_t last_moves_ = 0;
  double last_imbalance_ = 1;
  report::History history_;
  std::string stopped_by_;
  std::string pinned_;
  std::uint64_t held_steps_ = 0;       // steps in which no rank might move
  std::size_t homes_kept_ = 0;         // entries of StepRecord::homes in all steps: see kMostHomes
  const double began_;                 // seconds of the steady clock
  std::optional<EnergyMeter> energy_;  // only if the job balances
};

}  // namespace lbstep
}  // namespace weft::runtime
