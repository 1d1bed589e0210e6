// Decides balancing steps: computes from measured loads which ranks move, and the expected gain. Uses no clock and no
// communication. Process 0 of the runtime and the simulator use this class, so settings tuned in simulations hold for
// real runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lb/hierarchical.hpp"
#include "lb/load_model.hpp"
#include "lb/loads.hpp"
#include "lb/move_cost.hpp"
#include "lb/observation.hpp"
#include "lb/strategy.hpp"
#include "lb/when.hpp"

namespace weft::lb {

struct DeciderOptions {
  std::string strategy = "none";  // as make_strategy() reads it
  std::string when = "every";     // as make_when() reads it
  std::string model = "last";     // as make_load_model() reads it
  Links links = kDefaultLinks;
  MoveCost::Prices move_prices{};  // assumed until balancing steps have been measured
  // A rank is packed at every move, as if each worker were a process; ranks that cannot be packed then do not move.
  bool packs_every_move = false;
};

// Whether a rank can make a move. Moves to another process need packing, all moves if `packs_every_move`. `may_leave`:
// the rank can be packed.
constexpr bool can_move(bool crosses, bool packs_every_move, bool may_leave) {
  return may_leave || !(crosses || packs_every_move);
}

// The result of a balancing step.
struct Decision {
  Plan homes;                  // by rank: its worker from now on
  std::vector<RankId> moving;  // ranks that change their worker, ascending
  Moves moves;
  std::uint64_t crossings = 0;  // ranks that change their process
  double predicted_gain = 0.0;  // seconds saved until the next step by the strategy's moves
};

// One of the plans that a job's processes have computed together, as sums over all of them.
struct DistributedPlan {
  double longest = 0.0;  // seconds of the longest worker by the strategy's plan
  Moves planned;         // by the strategy
  Moves carried_out;     // with the moves that ranks ask for
};

// At each step that is due: observe(), decide(), and record_cost() as soon as the step's cost is known, at the latest
// before the next observe(). If the processes of a job compute the plans themselves (hierarchy.hpp):
// observe_distributed(), choose(), record_cost(). If no rank may move, keep_homes() replaces decide() or choose(). One
// thread at a time.
class Decider {
 public:
  // Throws base::OptionError for names that do not exist.
  explicit Decider(const DeciderOptions& options);

  // The call of MPI_Migrate, counted from 1, at which the next step is due. All processes get it with the plan, so
  // it is read before record_cost(): the cost of a step affects only later steps.
  [[nodiscard]] std::uint64_t next_call() const { return when_->next_call(); }
  [[nodiscard]] const Strategy& strategy() const { return *strategy_; }
  [[nodiscard]] const Links& links() const { return links_; }
  void set_links(const Links& links) { links_ = links; }
  // An instance without ranks, with the costs of messages and moves.
  [[nodiscard]] Instance costs() const;

  // Takes what the ranks did since the last step, and predicts from it what they will do until the next one.
  void observe(Observation observation);
  // A rank's own request takes precedence over the strategy. A rank that cannot be packed does not leave its process.
  [[nodiscard]] Decision decide();
  // After observe(): the instance from which the plan is made.
  [[nodiscard]] const Instance& predicted() const { return instance_; }

  // No rank moves, whatever ranks ask for. Neither the strategy nor When::evaluate() is called.
  Decision keep_homes();

  // Takes what was measured; `by_worker` has one rank for each worker, with the loads of all the worker's ranks.
  void observe_distributed(std::uint64_t call, const Instance& by_worker);
  struct DistributedDecision {
    MoveScope scope = MoveScope::stay;
    double predicted_gain = 0.0;  // as Decision's
  };
  // `plans`: by MoveScope. Makes the same decision as decide() with all ranks of the job.
  [[nodiscard]] DistributedDecision choose(std::span<const DistributedPlan, kMoveScopes> plans);

  // `seconds`: how long ranks were stopped by the step, for planning and moving.
  void record_cost(double seconds);

 private:
  Instance predict(std::uint64_t call, Instance measured, std::span<const RankId> declared);
  // Replaces plan entries by the workers that ranks ask for.
  Decision apply_wanted(Plan homes) const;

  const bool packs_every_move_;
  const std::unique_ptr<Strategy> strategy_;
  const std::unique_ptr<When> when_;
  const std::unique_ptr<LoadModel> model_;
  Links links_;
  LoadHistory loads_;
  std::vector<RankPattern> patterns_;
  MigbspMargins margins_;
  MoveCost move_cost_;
  std::uint64_t last_call_ = 0;
  // Of the current step.
  Instance instance_;
  std::vector<std::uint32_t> wanted_;  // by rank: the worker that it asks for, or kAnyWorker
  Moves moves_;
};

}  // namespace weft::lb
