// What every process does in a hierarchical balancing step: it sums up its ranks, hands over those that others are to
// place, and places the ranks that it has then.
//
//   state      message, or what has become true                       next state  what it does
//   idle       its ranks have arrived, or it has none                 counting    sends TreeReceived to all, if the
//                                                                                 strategy uses messages
//   idle, counting   TreeReceived                                     the same    keeps it
//   counting   all TreeReceived are there; what messages cost is not  measuring   process 0 starts to measure
//              known
//   counting, measuring   all are there, costs are known              summarized  sends TreeSummary to its host
//   summarized TreeTargets                                            leaving     sends TreeMigrants
//   summarized, leaving   TreeMigrants                                the same    keeps it
//   leaving    TreeMigrants of all senders are there                  placed      sends TreeSums to its host
//   any        the step has been decided                              idle
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "runtime/lbstep/balancer.hpp"
#include "runtime/lbstep/tree_channel.hpp"
#include "runtime/lbstep/tree_process.hpp"

namespace weft::runtime {
inline namespace lbstep {

class TreeMember {
 public:
  enum class State : std::uint8_t { idle, counting, measuring, summarized, leaving, placed };

  // `measure`: called on process 0.
  TreeMember(const JobContext& job, TreeChannel& channel, const lb::Strategy& inner, const Balancer& balancer,
             std::function<void()> measure);

  void begin(const StepArrival& arrival);
  void on(std::uint32_t from, TreeReceived& message);
  void on(TreeTargets& message);
  void on(std::uint32_t from, TreeMigrants& message);
  void on(const TreeHistory& message) { process_.add_histories(message.ranks); }
  // Makes the transition that is due; returns whether one was.
  bool advance();
  void ended(lb::MoveScope scope, std::uint64_t call, std::span<const NewHome> changes);

  State state() const { return state_; }
  const std::vector<NewHome>& local_moves_of(lb::MoveScope scope) const { return process_.local_moves_of(scope); }

 private:
  void allow(bool allowed, ControlKind kind) const;
  bool count();
  bool leave();
  bool place_arrivals();

  const TreeShape& shape_;
  TreeChannel& channel_;
  const Balancer& balancer_;
  const std::function<void()> measure_;
  TreeProcess process_;
  State state_ = State::idle;
  std::map<std::uint32_t, std::vector<ReceivedReport>> received_;  // by process
  std::optional<ProcessTargets> targets_;
  std::map<std::uint32_t, std::vector<MovingRank>> migrants_;  // by process
};

}  // namespace lbstep
}  // namespace weft::runtime
