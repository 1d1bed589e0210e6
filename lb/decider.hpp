// The pure half of a balancing step: from what was measured to where ranks go, and what that is expected to bring. The
// runtime's process 0 has one, and so does a simulator: what is tuned is then what runs.
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
  std::string when = "every";     // as make_when() does
  std::string model = "last";     // as make_load_model() does
  Links links = kUsualLinks;
  MoveCost::Prices move_prices{};  // of the strategy, until steps say otherwise
  // A rank is packed at every move, as if each worker were a process: one that cannot be packed stays where it is.
  bool packs_every_move = false;
};

// Whether a rank carries a move out. To another process it goes packed, and so at every move if `packs_every_move`.
constexpr bool can_move(bool crosses, bool packs_every_move, bool may_leave) {
  return may_leave || !(crosses || packs_every_move);
}

// What a step does.
struct Decision {
  Plan homes;                  // by rank, where it lives from now on
  std::vector<RankId> moving;  // those that change their worker, ascending
  Moves moves;
  std::uint64_t crossings = 0;  // ranks that change their process
  double predicted_gain = 0.0;  // seconds until the next step, of what the strategy moves
};

// One of the plans that a step in parts is chosen from.
struct PlanInParts {
  double longest = 0.0;  // seconds of the worker that ends last, as the strategy has it
  Moves planned;         // the strategy's
  Moves carried_out;     // with what ranks ask for
};

// At each step that is due: observe(), decide(), and paid() as soon as the step's cost is known, at the latest before
// the next observe(). Where the processes of a job work the plans out themselves (hierarchy.hpp): observe_in_parts(),
// choose(), paid(). Where no rank may move stay() takes the place of decide() or choose(). One thread at a time.
class Decider {
 public:
  // Throws base::OptionError for names that do not exist.
  explicit Decider(const DeciderOptions& options);

  // The call of MPI_Migrate, counted from 1, at which the next step is due. All processes get it with the plan, so
  // ask before paid(): what a step has cost counts from the next one on.
  [[nodiscard]] std::uint64_t next_call() const { return when_->next_call(); }
  [[nodiscard]] const Strategy& strategy() const { return *strategy_; }
  [[nodiscard]] const Links& links() const { return links_; }
  void set_links(const Links& links) { links_ = links; }
  // An instance without ranks: what messages and moves cost.
  [[nodiscard]] Instance costs() const;

  // What the ranks did since the last step; from it, what they are expected to do until the next one.
  void observe(Observation observation);
  // A rank's own wish goes before the strategy; a rank that cannot be packed does not leave its process.
  [[nodiscard]] Decision decide();
  // What the plan was made from, after observe().
  [[nodiscard]] const Instance& predicted() const { return instance_; }

  // Nobody moves, whatever ranks want; the strategy is not asked, and the rule of when not judged by it.
  Decision stay();

  // What was measured, each worker's ranks as one.
  void observe_in_parts(std::uint64_t call, const Instance& by_worker);
  struct PartsDecision {
    Choice choice = Choice::stay;
    double predicted_gain = 0.0;  // as Decision's
  };
  // `plans`: by Choice. Decides what decide() would from all ranks of the job.
  [[nodiscard]] PartsDecision choose(std::span<const PlanInParts, kChoices> plans);

  // The ranks stood still for so many seconds, to plan and to move.
  void paid(double seconds);

 private:
  Instance predict(std::uint64_t call, Instance measured);
  Decision with_wishes(Plan homes) const;

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
  // Of the step that is under way.
  Instance instance_;
  std::vector<std::uint32_t> wanted_;  // by rank
  Moves moves_;
};

}  // namespace weft::lb
