// What process 0 does for the whole job in a hierarchical balancing step: it says which clusters of ranks go to which
// host.
//
//   state      message, or what has become true          next state  what it does
//   gathering  TreeHostSummary                            gathering   keeps it
//   gathering  all hosts' summaries are there             assigned    sends TreeHostTargets to all hosts
//   any        the step has been decided                  gathering
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "lb/decider.hpp"
#include "lb/hierarchy.hpp"
#include "runtime/lbstep/tree_channel.hpp"

namespace weft::runtime {
inline namespace lbstep {

class TreeRoot {
 public:
  enum class State : std::uint8_t { gathering, assigned };

  TreeRoot(const TreeShape& shape, TreeChannel& channel, const lb::Strategy& outer, const lb::Decider& decider)
      : shape_(shape), channel_(channel), outer_(outer), decider_(decider) {}

  void on(std::uint32_t from, TreeHostSummary& message);
  // Makes the transition that is due; returns whether one was.
  bool advance();
  void ended();

 private:
  std::vector<HostTargets> assign();

  const TreeShape& shape_;
  TreeChannel& channel_;
  const lb::Strategy& outer_;
  const lb::Decider& decider_;
  State state_ = State::gathering;
  std::map<std::uint32_t, lb::Summary> summaries_;  // by host
};

}  // namespace lbstep
}  // namespace weft::runtime
