// A hierarchical balancing step: that of the strategy `hierarchical` in a job of several processes. Each process
// decides on its own ranks, the first process of each host on clusters of its processes' ranks, and process 0 on
// clusters of hosts. Sums and moves go up this tree; loads of single ranks go only to the process that places these
// ranks.
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

// What happens in a step, in this order. A process that has nothing to send at some point says so, so that the others
// need not guess. The states are in tree_member.hpp, tree_host.hpp and tree_root.hpp.
//  1. A process whose ranks have all arrived sends its host the sums of its clusters. If the strategy uses messages, it
//     first tells the other processes what it has sent to their ranks. A process without ranks begins at the first
//     message of the step.
//  2. The host sends process 0 sums of its clusters of clusters; process 0 says which of them go to which host.
//  3. Hosts send each other the clusters that change hosts, and the processes where these go.
//  4. The host tells each process where its clusters go; the process sends there the loads of these clusters' ranks
//     (not the ranks).
//  5. Each process places the ranks that it has now on its workers. It sends the host, and that sends process 0, the
//     outcome of each plan: seconds, moves, sums for each worker, and the ranks that would change their process.
//     Process 0 chooses.
//  6. For ranks that move because they wanted to, their load history is sent after them.
// Guarded by the step's lock, which StepTree takes itself where it continues later.
class StepTree {
 public:
  struct Calls {
    std::function<StepArrival()> empty;     // the arrival of a process without ranks
    std::function<void(StepSums&)> decide;  // process 0, once in each step: when all sums have arrived
    std::function<void()> measure;          // process 0, where link costs are not known: all ranks stand still
  };
  StepTree(const JobContext& job, ControlHandler& step_part, const lb::Hierarchical& strategy, const Balancer& balancer,
           Calls calls);

  using Messages =
      ControlMessages<TreeBegun, TreeReceived, TreeSummary, TreeHostSummary, TreeHostTargets, TreeMigrantsOfHost,
                      TreePlacements, TreeTargets, TreeMigrants, TreeSums, TreeHistory>;

  // All ranks of this process have arrived at this step.
  void begin(std::uint64_t step, const StepArrival& arrival);
  // The balancer knows the costs of messages now.
  void links_known() { go_on(); }
  // `step`: the step that this process is in, or the next one. A message of a later step is kept until that begins
  // here.
  template <typename Message>
  void on_message(ProcessId from, std::uint64_t step, Message& message) {
    if constexpr (std::is_same_v<Message, TreeHistory>) {
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
  const std::vector<NewHome>& local_moves_of(lb::MoveScope scope) const { return member_.local_moves_of(scope); }
  // The step has been decided, hierarchical or not; `next_step` follows it.
  void ended(lb::MoveScope scope, std::uint64_t call, std::span<const NewHome> changes, std::uint64_t next_step);
  // Bytes that this process has sent to others, in all steps.
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
  void on(std::uint32_t /*from*/, TreeSums& message) { host_.on(message); }
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
  std::vector<Later> later_;  // messages of the next step, which other processes have begun
};

}  // namespace lbstep
}  // namespace weft::runtime
