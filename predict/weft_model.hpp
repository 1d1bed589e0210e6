// The level 1 model. Beyond the paper's model it uses what Weft records of a run: the CPU time of each rank, the pairs
// of communicating ranks, c cores in a node, latency, and memory that the cores share.
//
// Nodes are equal, so one node represents all: a closed queueing network whose customers are its n/k ranks. In each
// cycle a rank computes on one of c cores and on the memory, and sends once: overhead on the core, its part of the
// link, latency.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "predict/observation.hpp"
#include "predict/predictor.hpp"
#include "predict/trend.hpp"

namespace weft::predict {

// Each parameter is fitted as its logarithm, with a penalty for the distance from its default value here.
struct WeftParameters {
  double computing = 1.0;      // factor of the computing that was recorded
  double overhead = 2e-6;      // seconds of a core for a message
  double memory_share = 0.02;  // part of computing that waits for the node's memory, which serves one core at a time
  double network = 1.0;        // factor of the catalogue's transfer time and latency
};

// The largest computing time of a worker divided by the mean, with ranks on `workers` in blocks. `rank_computing` may
// come from a run with another number of ranks: it is treated as a density over rank numbers.
double imbalance_of_blocks(std::span<const double> rank_computing, std::uint32_t workers);

// The part of all sends that go to another node, with the run's ranks in blocks on `nodes`. Messages of collective
// calls count as evenly distributed over all members.
double remote_part(const Profile& profile, std::uint32_t nodes);

class WeftModel final : public Predictor {
 public:
  // REQUIRES: at least one run.
  explicit WeftModel(std::span<const Observation> runs);

  [[nodiscard]] double time(const Configuration& configuration) const override {
    return time(configuration, parameters_);
  }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] const WeftParameters& parameters() const { return parameters_; }

 private:
  [[nodiscard]] double time(const Configuration& configuration, const WeftParameters& parameters) const;
  // The profile with the nearest number of ranks, by ratio; preferably one with at least a rank for each instance.
  [[nodiscard]] const Profile& nearest(const Configuration& configuration) const;

  std::vector<Observation> runs_;
  Trend computing_;  // seconds of all ranks at speed 1
  Trend sends_;      // of a rank
  Trend bytes_;      // of a send
  WeftParameters parameters_;
};

std::unique_ptr<Predictor> fit_weft(std::span<const Observation> runs);

}  // namespace weft::predict
