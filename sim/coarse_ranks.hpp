// Gathers what the ranks of each group do in each step, and writes it as the program of one rank.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/recorded_program.hpp"
#include "sim/step_clock.hpp"

namespace weft::sim {

// What a group's ranks do at a mark: a call of MPI_Migrate or a collective call of all ranks.
struct CoarseMark {
  std::vector<std::uint32_t> ranks{};  // that have made it
  std::vector<Action> actions{};       // theirs
  Seconds load = 0.0;
};

class CoarseRanks : public StepObserver {
 public:
  // `groups` must outlive this; they are numbered from 0 to `count` - 1.
  CoarseRanks(const std::vector<std::uint32_t>& groups, std::uint32_t count);

  void works(std::uint32_t rank, Step step, std::uint32_t phase, Seconds seconds) override;
  void sends(const Sent& message) override;
  void waits(std::uint32_t rank) override { settle(rank, false); }
  void has_sent(const Sent& message, Step step) override;
  void receives(const Sent& message, Step posted, Step step) override;
  void marks(std::uint32_t rank, std::uint64_t marks, const Action& action, Seconds load) override;

  // After the run: by group, its marks.
  [[nodiscard]] const std::vector<std::vector<CoarseMark>>& marks() const { return marks_; }
  // The group's program; `actions`: those of its marks, none where a mark is nothing for it.
  RecordedProgram program(std::uint32_t group, const std::vector<std::optional<Action>>& actions);

 private:
  using Work = std::map<std::uint32_t, Seconds>;  // by phase
  // Messages from a group to another that are sent in one step.
  struct Merged {
    std::uint64_t bytes = 0;
    Step posted = UINT64_MAX;
    Step received = UINT64_MAX;
    Step released = 0;  // the senders wait no longer
  };
  using MergedKey = std::tuple<std::uint32_t, std::uint32_t, Step>;  // from, to, step of sending
  using MergedEntry = std::pair<const MergedKey, Merged>;
  struct GroupStep {
    Work before{};  // messages are sent
    Work after{};
    std::vector<const MergedEntry*> posted{};
    std::vector<const MergedEntry*> ended{};  // received, or sent before and waited for now
    std::vector<const MergedEntry*> sent{};
  };
  // What a rank has done in its step since it has last sent something.
  struct RankWork {
    Step step = 0;
    Work work{};
  };
  // Slots of messages that are under way.
  using Slots = std::map<const MergedEntry*, std::uint16_t>;

  [[nodiscard]] MergedKey key_of(const Sent& message) const {
    return {groups_[message.from], groups_[message.to], message.step};
  }
  void settle(std::uint32_t rank, bool before_messages);
  void schedule_messages();
  static void write_step(RecordedProgramWriter& writer, const GroupStep& step, Slots& slots);
  static void write_work(RecordedProgramWriter& writer, const Work& work);

  const std::vector<std::uint32_t>& groups_;
  std::vector<std::map<Step, GroupStep>> steps_;  // by group
  std::vector<std::vector<CoarseMark>> marks_;    // by group
  std::vector<RankWork> works_;                   // by rank
  std::map<MergedKey, Merged> messages_;
  bool scheduled_ = false;
};

}  // namespace weft::sim
