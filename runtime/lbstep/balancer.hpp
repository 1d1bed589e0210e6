// What process 0 knows of balancing: when it is due, where ranks go, what that brought.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lb/load_model.hpp"
#include "lb/migbsp_history.hpp"
#include "lb/move_cost.hpp"
#include "lb/strategy.hpp"
#include "lb/when.hpp"
#include "runtime/lbstep/tree_messages.hpp"
#include "runtime/meter/energy.hpp"
#include "runtime/meter/load_clock.hpp"
#include "runtime/report/history.hpp"
#include "runtime/sched/lb_interval.hpp"
#include "runtime/setup/config.hpp"

namespace weft::runtime {

// Every process has one for the rules; only process 0's hears of steps. One thread at a time.
class Balancer {
 public:
  // Throws base::OptionError for names that do not exist.
  explicit Balancer(const JobConfig& config, LoadClock clock = {});

  // The call of migrate(), counted from 1, at which the next step is due.
  std::uint64_t next_call() const { return when_->next_call(); }
  bool wants_edges() const { return strategy_->wants_edges(); }
  const lb::Strategy& strategy() const { return *strategy_; }
  const lb::Links& links() const { return links_; }
  // Whether nothing is to be measured any more.
  bool links_known() const { return links_known_; }
  void set_links(const lb::Links& links);
  // An instance without ranks: what messages and moves cost.
  lb::Instance costs() const;

  // A step at this call of migrate(); by worker, what its LB interval was; its last supersteps where the strategy
  // looks at them. Homes where nothing is to move.
  lb::Plan plan(std::uint64_t call, const lb::Instance& measured, std::span<const IntervalLoad> intervals,
                std::span<const lb::Superstep> supersteps = {});
  // The same for a step that has been worked out in parts.
  Choice choose(std::uint64_t call, const Found& found);
  // The homes that the ranks get; wishes of ranks have been heard.
  void moves(const lb::Plan& homes);
  void moves(const Found& found, Choice choice);
  // The ranks stood still for so long, to plan and to move; with the last step's end.
  void paid(double seconds);

  struct Brief {
    std::uint64_t number = 0;  // counted from 1
    std::uint64_t moves = 0;
    double imbalance = 1;
  };
  const Brief& last_step() const { return brief_; }

  // The table of all steps so far.
  std::string table();
  // At the end: the summary on standard error and the report's file, as the configuration says.
  void tell();

 private:
  struct Clock {
    Clock();
    double seconds() const;
    double began;
  };
  report::Job described();
  lb::Instance predicted(std::uint64_t call, const lb::Instance& measured);
  void record(const lb::Instance& measured, std::span<const IntervalLoad> intervals, double unmoved);
  void keep_homes(const lb::Plan& homes);
  void end_step();

  const JobConfig& config_;
  const LoadClock load_clock_;
  std::unique_ptr<lb::Strategy> strategy_;
  std::unique_ptr<lb::When> when_;
  std::unique_ptr<lb::LoadModel> model_;
  lb::Links links_ = lb::kUsualLinks;
  bool links_known_ = true;
  lb::LoadHistory loads_;
  std::vector<lb::RankPattern> patterns_;
  lb::MoveCost move_cost_;
  std::uint64_t last_call_ = 0;

  lb::Instance instance_;  // that the last plan was made from
  lb::Plan first_homes_;
  lb::StepCost cost_;  // of the step that is under way
  report::Step step_;  // the same, until its moves are known
  Brief brief_;
  report::History history_;
  std::size_t homes_kept_ = 0;
  Clock clock_;
  std::optional<EnergyMeter> energy_;  // of a job that balances
};

}  // namespace weft::runtime
