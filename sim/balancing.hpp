// The ranks' calls of MPI_Migrate: measures what each worker's ranks did between two calls, and carries out balancing
// steps. lb::Decider decides them, as in the runtime.
#pragma once

#include <cstdint>
#include <vector>

#include "lb/decider.hpp"
#include "lb/interval_meter.hpp"
#include "sim/messaging.hpp"
#include "sim/replay.hpp"
#include "sim/state.hpp"

namespace weft::sim {

// A step has three parts: all ranks arrive; the bytes of moving ranks go through the network; all ranks continue at the
// same time.
class Balancing {
 public:
  Balancing(const Platform& platform, const ReplayOptions& options, SimState& state, Messaging& messaging);

  void begin(std::size_t ranks);
  // Whether the rank waits for a step in its next call.
  [[nodiscard]] bool is_due(std::uint32_t rank) const { return ranks_[rank].calls + 1 >= next_call_; }
  // The rank calls MPI_Migrate. Returns whether it waits for the step.
  bool call(std::uint32_t rank, const Action& action);
  // Advances the step as far as possible; `unfinished` ranks have not ended. Returns whether the step is over, after
  // which ranks may be on other workers.
  bool advance_step(std::uint32_t unfinished) {
    return arrived_ != 0 && arrived_ == unfinished && (step_begun_ || begin_step()) &&
           messaging_.moves_in_flight() == 0 && end_step();
  }

  [[nodiscard]] std::vector<StepReport>& steps() { return steps_; }
  [[nodiscard]] std::vector<std::vector<float>>& iterations() { return iterations_; }
  [[nodiscard]] std::vector<Seconds> iteration_ends() const;

 private:
  // What is known from a rank's calls of MPI_Migrate.
  struct MigrateCalls {
    std::uint64_t bytes = 0;
    Seconds counted = 0.0;  // part of its load that `iterations_` already has
    Seconds given = -1.0;   // load from the workload's list; negative: none was listed
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
  // As in the runtime: predictions halve the weight of older supersteps at each new one.
  static constexpr std::size_t kMostSupersteps = 64;

  // `load`: since the rank's last call, as the balancer sees it.
  void end_superstep(std::uint32_t rank, Seconds load);
  [[nodiscard]] lb::Observation measure();
  [[nodiscard]] trace::WorkerInterval measure_worker(std::uint32_t number, bool with_core);
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
  std::vector<MigrateCalls> ranks_;
  std::vector<lb::IntervalMeter> meters_;  // by worker
  Seconds cores_read_at_ = 0.0;
  std::uint32_t arrived_ = 0;
  bool step_begun_ = false;
  Seconds begin_ = 0.0;
  Seconds end_ = 0.0;  // when workers have packed and unpacked; messages may take longer
  StepReport step_;
  std::vector<StepReport> steps_;
  std::vector<std::vector<float>> iterations_;
  std::vector<MeanTime> iteration_ends_;  // by call of MPI_Migrate: when ranks made it
};

}  // namespace weft::sim
