// What the first process of each host does in a hierarchical balancing step: it sums up the host's processes, hands
// over clusters of ranks that go to other hosts, and places those that it has then on its processes.
//
//   state      message, or what has become true                next state  what it does
//   gathering  TreeSummary                                     gathering   keeps it
//   gathering  all processes' summaries are there              summed      sends TreeHostSummary to process 0
//   summed     TreeHostTargets                                 leaving     sends TreeMigrantsOfHost
//   summed, leaving          TreeMigrantsOfHost                the same    keeps it
//   leaving    those of all senders are there                  placing     places them, sends TreePlacements
//   leaving, placing         TreePlacements                    the same    keeps it
//   placing    those of all that clusters went to are there    collecting  sends TreeTargets to its processes
//   collecting; on process 0's host also before    TreeSums    the same    adds it
//   collecting all its processes' are there (on process 0: all hosts')   reported   sends TreeSums to process 0, which
//                                                                                   decides
//   any        the step has been decided                       gathering
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "lb/decider.hpp"
#include "lb/hierarchy.hpp"
#include "runtime/lbstep/tree_channel.hpp"

namespace weft::runtime {
inline namespace lbstep {

class TreeHost {
 public:
  enum class State : std::uint8_t { gathering, summed, leaving, placing, collecting, reported };

  // `decide`: called on process 0 when all sums have arrived.
  TreeHost(const TreeShape& shape, TreeChannel& channel, const lb::Strategy& outer, const lb::Decider& decider,
           std::function<void(StepSums&)> decide);

  void on(std::uint32_t from, TreeSummary& message);
  void on(TreeHostTargets& message);
  void on(std::uint32_t from, TreeMigrantsOfHost& message);
  void on(TreePlacements& message);
  void on(TreeSums& message);
  // Makes the transition that is due; returns whether one was.
  bool advance();
  void ended();

 private:
  void allow(bool allowed, ControlKind kind) const;
  bool sum();
  bool leave();
  bool place();
  bool send_targets();
  bool report();

  const TreeShape& shape_;
  TreeChannel& channel_;
  const lb::Strategy& outer_;
  const lb::Decider& decider_;
  const std::function<void(StepSums&)> decide_;
  State state_ = State::gathering;
  std::map<std::uint32_t, lb::Summary> summaries_;  // by process
  std::optional<lb::HostStep> host_;
  std::optional<HostTargets> targets_;
  std::map<std::uint32_t, std::vector<lb::MigrantCluster>> migrants_;  // by host
  std::uint32_t visited_ = 0;                                          // hosts to which this one has sent clusters
  std::uint32_t answers_ = 0;                                          // how many of them have answered
  std::map<std::uint32_t, std::vector<lb::Target>> placements_;        // by process: known targets of its clusters
  std::map<std::uint32_t, std::set<std::uint32_t>> senders_;           // by process: those that send it ranks
  StepSums sums_;
};

}  // namespace lbstep
}  // namespace weft::runtime
