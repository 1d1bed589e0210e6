// A balancing step that is decided in parts, by `hierarchical` in a job of several processes: each process on its own
// ranks, the first process of each host on clusters of its processes' ranks, process 0 on clusters of hosts. Nobody
// gets data of another process's ranks but those that move.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "lb/hierarchical.hpp"
#include "runtime/control/control_handler.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/lbstep/tree_host.hpp"
#include "runtime/lbstep/tree_member.hpp"
#include "runtime/lbstep/tree_root.hpp"

namespace weft::runtime {
inline namespace lbstep {

struct StepArrival;

// In a step, in this order; whoever has nothing to say at one point says that, so that the others need not guess. The
// states are in tree_member.hpp, tree_host.hpp and tree_root.hpp.
//  1. A process whose ranks have all come sends the others what they sent to their ranks, if the strategy looks at
//     messages, and its host the sums of its clusters. A process without ranks begins with the first message of the
//     step.
//  2. The host sends process 0 sums of its clusters of clusters; process 0 says which go to which host.
//  3. Hosts send each other the clusters that change hosts, and where among their processes these go.
//  4. The host sends each process where its clusters go; that sends their ranks' loads (not the ranks) there.
//  5. Each process places the ranks that it has now on its workers, and sends the host, that process 0, what each plan
//     comes to: seconds, moves, sums for each worker, and the ranks that would change their process. Process 0 chooses.
//  6. Where ranks go because they wished it, what is remembered of them follows.
// Under the step's lock, which it takes itself where it goes on later.
class StepTree {
 public:
  struct Calls {
    std::function<StepArrival()> empty;  // what there is to say of a process without ranks
    std::function<void(Found&)> decide;  // process 0, once in each step: when all has been found
    std::function<void()> measure;       // process 0, where links are not known: all ranks stand
  };
  StepTree(const JobContext& job, ControlHandler& step_part, const lb::Hierarchical& strategy, const Balancer& balancer,
           Calls calls);

  using Messages =
      ControlMessages<TreeBegun, TreeReceived, TreeSummary, TreeHostSummary, TreeHostTargets, TreeMigrantsOfHost,
                      TreePlacements, TreeTargets, TreeMigrants, TreeFound, TreeMemory>;

  // All ranks of this process have come to this step.
  void begin(std::uint64_t step, const StepArrival& arrival);
  // The balancer has them now.
  void links_known() { go_on(); }
  // `step`: the one that this process is in, or the next. A message of a later one is kept until that begins here.
  template <typename Message>
  void on_message(ProcessId from, std::uint64_t step, Message& message) {
    if constexpr (std::is_same_v<Message, TreeMemory>) {
      member_.on(message);
    } else if (message.step > step) {
      later_.push_back({from, Message::kKind, pup::pack(message)});
    } else if (message.step == step) {
      channel_.set_step(step);
      on(number(from), message);
      begin_without_ranks();
      go_on();
    }
  }
  const std::vector<NewHome>& quiet_moves(lb::Choice choice) const { return member_.quiet_moves(choice); }
  // The step has been decided, whether in parts or not; the next is this one.
  void ended(lb::Choice choice, std::uint64_t call, std::span<const NewHome> changes, std::uint64_t next_step);
  // Of all steps: bytes that this process has sent others.
  std::uint64_t bytes_sent() const { return channel_.bytes_sent(); }

 private:
  struct Later {
    ProcessId from;
    ControlKind kind;
    std::vector<std::byte> body;
  };

  static void on(std::uint32_t /*from*/, TreeBegun& /*message*/) {}
  void on(std::uint32_t from, TreeReceived& message) { member_.on(from, message); }
  void on(std::uint32_t from, TreeSummary& message) { host_.on(from, message); }
  void on(std::uint32_t from, TreeHostSummary& message) { root_.on(from, message); }
  void on(std::uint32_t /*from*/, TreeHostTargets& message) { host_.on(message); }
  void on(std::uint32_t from, TreeMigrantsOfHost& message) { host_.on(from, message); }
  void on(std::uint32_t /*from*/, TreePlacements& message) { host_.on(message); }
  void on(std::uint32_t /*from*/, TreeTargets& message) { member_.on(message); }
  void on(std::uint32_t from, TreeMigrants& message) { member_.on(from, message); }
  void on(std::uint32_t /*from*/, TreeFound& message) { host_.on(message); }
  void begin_without_ranks();
  void begin_here(const StepArrival& arrival);
  void wake_processes_without_ranks();
  void go_on();
  void advance();

  const JobContext& job_;
  ControlHandler& step_part_;
  const std::function<StepArrival()> empty_;
  const bool wants_edges_;
  const TreeShape shape_;
  TreeChannel channel_;
  TreeMember member_;
  TreeHost host_;
  TreeRoot root_;
  std::vector<Later> later_;  // messages of the next step, which others have begun
};

}  // namespace lbstep
}  // namespace weft::runtime
