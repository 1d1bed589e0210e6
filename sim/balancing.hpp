// The ranks' calls of MPI_Migrate: what each worker's ranks have done between two of them, and the steps in which ranks
// move. What they decide is lb::Decider's, as in the runtime.
#pragma once

#include <cstdint>
#include <vector>

#include "lb/decider.hpp"
#include "lb/worker_interval.hpp"
#include "sim/messaging.hpp"
#include "sim/replay.hpp"
#include "sim/state.hpp"

namespace weft::sim {

// A step has three parts: all ranks come to it; their bytes go through the network; all go on at once.
class Balancing {
 public:
  Balancing(const Platform& platform, const ReplayOptions& options, SimState& state, Messaging& messaging);

  // There are so many ranks.
  void begin(std::size_t ranks);
  // Whether the rank's next call waits for a step.
  [[nodiscard]] bool is_due(std::uint32_t rank) const { return ranks_[rank].calls + 1 >= next_call_; }
  // The rank calls. Returns whether it waits for the step.
  bool call(std::uint32_t rank, const Action& action);
  // Goes on with the step, as far as it can go; of the ranks, `living` have not ended. Returns whether it is over, so
  // that ranks may live elsewhere.
  bool go_on(std::uint32_t living) {
    return arrived_ != 0 && arrived_ == living && (moves_ || begin_step()) && messaging_.moves() == 0 && end_step();
  }

  [[nodiscard]] std::vector<StepReport>& steps() { return steps_; }
  [[nodiscard]] std::vector<std::vector<float>>& iterations() { return iterations_; }
  [[nodiscard]] std::vector<Seconds> iteration_ends() const;

 private:
  // What a rank's calls have said.
  struct RankCalls {
    std::uint64_t bytes = 0;
    Seconds counted = 0.0;  // of its load, in `iterations_`
    Seconds given = -1.0;   // load that it says it has; negative: it does not
    std::uint32_t calls = 0;
    bool may_move = true;
    std::vector<lb::RankSuperstep> supersteps{};  // the last ones since the last step, for migbsp
  };
  struct MeanTime {
    Seconds sum = 0.0;
    std::uint32_t count = 0;
    void add(Seconds time) {
      sum += time;
      ++count;
    }
  };
  // As the runtime keeps: predictions halve what is older at each.
  static constexpr std::size_t kMostSupersteps = 64;

  // Its load, since the call before, is what balancing looks at.
  void end_superstep(std::uint32_t rank, Seconds load);
  [[nodiscard]] lb::Observation measure();
  [[nodiscard]] lb::IntervalLoad measure_worker(std::uint32_t number, bool with_core);
  void measure_rank(std::uint32_t rank, lb::Observation& observation) const;
  bool begin_step();
  void move_ranks(const lb::Decision& decision, Seconds begin);
  bool end_step();

  const Platform& platform_;
  SimState& state_;
  Messaging& messaging_;
  lb::Decider decider_;
  std::uint64_t next_call_;  // at which a step is due
  bool keeps_iterations_;
  bool keeps_supersteps_;
  std::vector<RankCalls> ranks_;
  std::vector<lb::WorkerInterval> intervals_;  // by worker
  Seconds cores_read_at_ = 0.0;
  std::uint32_t arrived_ = 0;
  bool moves_ = false;  // the step has begun
  Seconds begin_ = 0.0;
  Seconds end_ = 0.0;  // as far as workers are concerned
  StepReport step_;
  std::vector<StepReport> steps_;
  std::vector<std::vector<float>> iterations_;
  std::vector<MeanTime> iteration_ends_;  // when ranks made that call
};

}  // namespace weft::sim
