// Level 1: what Weft knows of a run beyond the paper's model: computing as CPU time of each rank, who sends to whom,
// c cores in a node, latency, memory that the cores share.
//
// Nodes are alike, so one of them stands for all: a closed network whose customers are its n/k ranks. In a cycle a rank
// computes, on one of c cores and on memory, and sends once: overhead on the core, its part of the link, latency.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "predict/observation.hpp"
#include "predict/predictor.hpp"
#include "predict/trend.hpp"

namespace weft::predict {

// Each is fitted as its logarithm, and held near its usual value as far as the runs do not say otherwise.
struct WeftParameters {
  double computing = 1.0;      // factor of the computing that was recorded
  double overhead = 2e-6;      // seconds of a core for a message
  double memory_share = 0.02;  // part of computing that waits for the node's memory, which serves one core at a time
  double network = 1.0;        // factor of the catalogue's transfer time and latency
};

// The largest worker's computing over the mean, where ranks lie on `workers` in blocks: from what each rank computed
// in a run with another number of ranks perhaps, which is spread over the new ones as a density over rank numbers.
double imbalance_of_blocks(std::span<const double> rank_computing, std::uint32_t workers);

// Part of all sends that go to another node, with the ranks of the run in blocks on `nodes`. Messages of collective
// calls count as going to any member alike.
double remote_part(const Profile& profile, std::uint32_t nodes);

class WeftModel final : public Predictor {
 public:
  // REQUIRES: some run.
  explicit WeftModel(std::span<const Observation> runs);

  [[nodiscard]] double time(const Configuration& configuration) const override {
    return time(configuration, parameters_);
  }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] const WeftParameters& parameters() const { return parameters_; }

 private:
  [[nodiscard]] double time(const Configuration& configuration, const WeftParameters& parameters) const;
  // The profile with the nearest number of ranks by ratio, of those with at least so many.
  [[nodiscard]] const Profile& nearest(const Configuration& configuration) const;

  std::vector<Observation> runs_;
  Trend computing_;  // seconds of all ranks at speed 1
  Trend sends_;      // of a rank
  Trend bytes_;      // of a send
  WeftParameters parameters_;
};

std::unique_ptr<Predictor> fit_weft(std::span<const Observation> runs);

}  // namespace weft::predict
