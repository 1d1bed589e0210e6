// Collects what the ranks of each group do in each logical step, and writes it as the program of one rank.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/logical_steps.hpp"
#include "sim/recorded_program.hpp"

namespace weft::sim {

// What the ranks of a group do at a sync point: a call of MPI_Migrate or a collective call of all ranks.
struct CoarseSyncPoint {
  std::vector<std::uint32_t> ranks{};  // that have reached it
  std::vector<Action> actions{};       // of these ranks, in the same order
  Seconds load = 0.0;
};

class CoarseRanks : public LogicalStepObserver {
 public:
  // `groups` must outlive this; they are numbered from 0 to `count` - 1.
  CoarseRanks(const std::vector<std::uint32_t>& groups, std::uint32_t count);

  void on_work(std::uint32_t rank, LogicalStep step, std::uint32_t phase, Seconds seconds) override;
  void on_send(const Sent& message) override;
  void on_wait(std::uint32_t rank) override { assign_work(rank, false); }
  void on_send_complete(const Sent& message, LogicalStep step) override;
  void on_receive(const Sent& message, LogicalStep posted, LogicalStep step) override;
  void on_sync_point(std::uint32_t rank, std::uint64_t number, const Action& action, Seconds load) override;

  // After the run: the sync points of each group.
  [[nodiscard]] const std::vector<std::vector<CoarseSyncPoint>>& sync_points() const { return sync_points_; }
  // The group's program. `actions`: one for each of its sync points; none where the program needs no action.
  RecordedProgram program(std::uint32_t group, const std::vector<std::optional<Action>>& actions);

 private:
  using Work = std::map<std::uint32_t, Seconds>;  // by phase
  // Messages from one group to another that are sent in the same step become one message.
  struct Merged {
    std::uint64_t bytes = 0;
    LogicalStep posted = UINT64_MAX;
    LogicalStep received = UINT64_MAX;
    LogicalStep released = 0;  // when all senders have completed their sends
  };
  using MergedKey = std::tuple<std::uint32_t, std::uint32_t, LogicalStep>;  // from, to, step of sending
  using MergedEntry = std::pair<const MergedKey, Merged>;
  struct GroupStep {
    Work before{};  // work done before the step's sends
    Work after{};   // work done after them
    std::vector<const MergedEntry*> posted{};
    std::vector<const MergedEntry*> ended{};  // received, or sent in an earlier step and completed now
    std::vector<const MergedEntry*> sent{};
  };
  // A rank's work in its current step since its last send.
  struct RankWork {
    LogicalStep step = 0;
    Work work{};
  };
  // The request slots of pending messages.
  using Slots = std::map<const MergedEntry*, std::uint16_t>;

  [[nodiscard]] MergedKey key_of(const Sent& message) const {
    return {groups_[message.from], groups_[message.to], message.step};
  }
  // Moves the rank's work to its group's step: before or after the messages sent in that step.
  void assign_work(std::uint32_t rank, bool before_messages);
  void schedule_messages();
  static void write_step(RecordedProgramWriter& writer, const GroupStep& step, Slots& slots);
  static void write_work(RecordedProgramWriter& writer, const Work& work);

  const std::vector<std::uint32_t>& groups_;
  std::vector<std::map<LogicalStep, GroupStep>> steps_;    // by group
  std::vector<std::vector<CoarseSyncPoint>> sync_points_;  // by group
  std::vector<RankWork> works_;                            // by rank
  std::map<MergedKey, Merged> messages_;
  bool scheduled_ = false;
};

}  // namespace weft::sim
