// A balancing step that is decided in parts, by `hierarchical` in a job of several processes: each process on its own
// ranks, the first process of each host on bundles of its processes' ranks, process 0 on bundles of hosts. Nobody hears
// of another process's ranks but those that move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <type_traits>
#include <vector>

#include "lb/hierarchical.hpp"
#include "lb/hierarchy.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/lbstep/tree_messages.hpp"
#include "runtime/lbstep/tree_process.hpp"

namespace weft::runtime {

class Balancer;

// In a step, in this order; whoever has nothing to say at one point says that, so that the others need not guess:
//  1. A process whose ranks have all come tells the others' what they sent to their ranks, if the strategy looks at
//     messages, and its host the sums of its bundles. A process without ranks begins when it hears of the step.
//  2. The host tells the job sums of its bundles of bundles; the job says which go to which host.
//  3. Hosts tell each other the bundles that change hosts, and where among their processes these go.
//  4. The host tells each process where its bundles go; that sends their ranks' loads (not the ranks) there.
//  5. Each process places the ranks that it has now on its workers, and tells the host, that the job, what each plan
//     comes to: seconds, moves, sums for each worker, and the ranks that would change their process. Process 0 chooses.
//  6. Where ranks go because they wished it, what is remembered of them follows.
// Called under the step's lock, which it takes itself where it goes on later.
class StepTree {
 public:
  struct Calls {
    std::function<StepArrival()> empty;  // what there is to say of a process without ranks
    std::function<void(Found&)> decide;  // process 0, once in each step: when all has been found
    std::function<void()> measure;       // process 0, where links are not known: all ranks stand
  };
  StepTree(Cluster& cluster, ControlChannel& control, const lb::Hierarchical& strategy, const Balancer& balancer,
           ControlHandler& step_part, Calls calls);

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
      process_.remember(message.ranks);
    } else if (message.step > step) {
      later_.push_back({from, Message::kKind, pup::pack(message)});
    } else if (message.step == step) {
      step_ = step;
      on(number(from), message);
      continue_step();
    }
  }
  const std::vector<NewHome>& quiet_moves(Choice choice) const { return process_.quiet_moves(choice); }
  // The step has been decided, whether in parts or not; the next is this one.
  void ended(Choice choice, std::uint64_t call, std::span<const NewHome> told, std::uint64_t next_step);
  // Of all steps: bytes that this process has told others.
  std::uint64_t bytes_told() const { return bytes_told_; }

 private:
  struct Later {
    ProcessId from;
    ControlKind kind;
    std::vector<std::byte> body;
  };
  // What has been heard and done of the step.
  struct State {
    bool begun = false;
    std::map<std::uint32_t, std::vector<ReceivedReport>> received;
    bool measuring = false;
    bool summarized = false;
    // A host's.
    std::map<std::uint32_t, lb::Summary> summaries;
    std::optional<lb::HostStep> host;
    std::optional<HostTargets> host_targets;
    std::map<std::uint32_t, std::vector<lb::MigrantCluster>> migrants;  // by host
    bool left_host = false;
    std::uint32_t visited = 0;  // hosts that this one has sent bundles to
    bool placed = false;
    std::map<std::uint32_t, std::vector<lb::Target>> placements;  // by process: what is known of its bundles
    std::map<std::uint32_t, std::set<std::uint32_t>> senders;     // by process
    std::uint32_t answers = 0;
    bool told_targets = false;
    std::optional<Found> found;
    // The job's.
    std::map<std::uint32_t, lb::Summary> hosts;
    bool assigned = false;
    // A process's.
    std::optional<ProcessTargets> targets;
    bool left = false;
    std::map<std::uint32_t, std::vector<MovingRank>> arrivals;
    bool settled = false;
    bool told_found = false;
  };

  template <typename Message>
  void send(std::uint32_t to, Message message);
  void on(std::uint32_t from, TreeBegun& message);
  void on(std::uint32_t from, TreeReceived& message);
  void on(std::uint32_t from, TreeSummary& message);
  void on(std::uint32_t from, TreeHostSummary& message);
  void on(std::uint32_t from, TreeHostTargets& message);
  void on(std::uint32_t from, TreeMigrantsOfHost& message);
  void on(std::uint32_t from, TreePlacements& message);
  void on(std::uint32_t from, TreeTargets& message);
  void on(std::uint32_t from, TreeMigrants& message);
  void on(std::uint32_t from, TreeFound& message);
  void begin_here(const StepArrival& arrival);
  void continue_step();
  void go_on();
  void advance();
  // Each does its part if it is time for it, and says whether it was.
  bool summarize();
  bool sum_host();
  bool assign_hosts();
  bool leave_host();
  bool place();
  bool tell_targets();
  bool leave();
  bool settle();
  bool report();

  std::uint32_t self() const { return number(cluster_.self()); }
  bool leads() const { return leader_[host_] == self(); }

  Cluster& cluster_;
  ControlChannel& control_;
  const lb::Hierarchical& strategy_;
  const Balancer& balancer_;
  ControlHandler& step_part_;
  const Calls calls_;
  const bool wants_edges_;
  std::vector<std::uint32_t> host_of_;             // by process
  std::vector<std::vector<std::uint32_t>> hosts_;  // processes of each
  std::vector<std::uint32_t> leader_;              // by host: its first process
  std::uint32_t host_ = 0;                         // this process's
  TreeProcess process_;
  std::uint64_t step_ = 1;  // that is under way or comes next
  State now_;
  std::vector<Later> later_;  // messages of the next step, which others have begun
  std::uint64_t bytes_told_ = 0;
};

}  // namespace weft::runtime
