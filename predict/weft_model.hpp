// The level 1 model. Beyond the paper's model it uses what Weft records of a run: the CPU time of each rank, the pairs
// of communicating ranks and the communicators of collective calls.
//
// Nodes are equal, so one node represents all: a closed queueing network whose customers are its n/k ranks. In each
// cycle a rank computes on one of c cores and sends once: overhead on the core, its part of the link, latency. In such
// a network a node computes while it communicates. Programs also wait for each other, so the time is a mean, with
// fitted weights, of that network's and of the time if all ranks first computed and then communicated.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "predict/computing_model.hpp"
#include "predict/observation.hpp"
#include "predict/predictor.hpp"
#include "predict/trend.hpp"

namespace weft::predict {

// Each parameter is fitted as its logarithm, with a penalty for the distance from its default value here.
struct WeftParameters {
  double computing = 1.0;         // factor of the computing that was recorded
  double overhead = 1e-6;         // seconds of a core for a message
  double copying = 1e-10;         // seconds of a core for a byte that is sent
  double remote_overhead = 5e-6;  // seconds of a core for a message to another node, besides the catalogue's
  double transfer = 1.2;          // factor of the catalogue's transfer time; 2: a link carries one direction at a time
  double latency = 1.0;           // factor of the catalogue's latency
  double in_turn = 0.5;           // weight, at most 1, of the time in which all compute and then all communicate
};

// The largest computing time of a worker divided by the mean, with ranks on `workers` in blocks. `rank_computing` may
// come from a run with another number of ranks: it is treated as a density over rank numbers.
double imbalance_of_blocks(std::span<const double> rank_computing, std::uint32_t workers);

// The messages of all ranks that go to another node, with the ranks in blocks on `nodes`.
MessageShare share_between_nodes(const Profile& profile, std::uint32_t nodes);

// One thread at a time: time() fills a cache.
class WeftModel final : public Predictor {
 public:
  // REQUIRES: at least one run.
  explicit WeftModel(std::span<const Observation> runs);

  [[nodiscard]] double time(const Configuration& configuration) const override;
  [[nodiscard]] std::string summary() const override;

 private:
  void fit_parameters();
  void fit_corrections();
  // Without corrections_.
  [[nodiscard]] double time(const Configuration& configuration, const WeftParameters& parameters) const;
  // The profile with the nearest number of ranks, by ratio.
  [[nodiscard]] const Profile& nearest(std::uint32_t ranks) const;
  // share_between_nodes() of the profiles; of one with fewer ranks than nodes, with a node for each rank.
  struct RemoteTrends {
    Trend messages;
    Trend bytes;
  };
  [[nodiscard]] const RemoteTrends& remote(std::uint32_t nodes) const;

  std::vector<Observation> runs_;
  ComputingModel computing_;
  Trend sends_;                                           // of a rank
  Trend bytes_;                                           // that a rank sends
  mutable std::map<std::uint32_t, RemoteTrends> remote_;  // by number of nodes, filled by remote()
  WeftParameters parameters_;
  // By name of each machine with a profile: logarithm of the factor by which its runs take longer than the model says.
  std::map<std::string, double> corrections_;
};

std::unique_ptr<Predictor> fit_weft(std::span<const Observation> runs);

}  // namespace weft::predict
