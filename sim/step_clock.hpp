// Steps of a workload whose ranks belong to groups: what can be done at once.
//
// A step has the number of marks that the rank has passed (calls of MPI_Migrate and collective calls of all ranks), and
// a level, which begins at 0 behind each mark. Whoever receives a message from another group of step s goes on in the
// step after s at least, and of one from its own group in s at least (Lamport 1978, with groups as processes). Who
// sends to a rank once more is in a later step, too. A group that goes through its steps in order therefore never waits
// for what another one does later.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/actions.hpp"
#include "sim/pairing.hpp"

namespace weft::sim {

using Step = std::uint64_t;  // marks in the upper half, the level in the lower
constexpr Step step_at_mark(std::uint64_t marks) { return marks << 32; }

// What ranks do in their steps. Each rank's calls come in its order.
class StepObserver {
 public:
  StepObserver() = default;
  StepObserver(const StepObserver&) = delete;
  StepObserver& operator=(const StepObserver&) = delete;
  virtual ~StepObserver() = default;

  struct Sent {
    std::uint32_t from = 0;  // ranks
    std::uint32_t to = 0;
    Step step = 0;
    std::uint64_t bytes = 0;
  };
  virtual void works(std::uint32_t rank, Step step, std::uint32_t phase, Seconds seconds) = 0;
  // What the rank has worked since it last waited, sent or passed a mark leads to this message, and is of the message's
  // step.
  virtual void sends(const Sent& message) = 0;
  // The rank has got what it waited for. What it has worked before stays in the step in which it did so.
  virtual void waits(std::uint32_t rank) = 0;
  // These only of messages between groups.
  virtual void has_sent(const Sent& message, Step step) = 0;  // the sender waits no longer
  virtual void receives(const Sent& message, Step posted, Step step) = 0;
  // A migrate or a collective action, the rank's `marks`-th; `load`: what a migrate action lists.
  virtual void marks(std::uint32_t rank, std::uint64_t marks, const Action& action, Seconds load) = 0;
};

// Goes through all ranks' actions, without times; sends never block.
class StepRun {
 public:
  // All must outlive this.
  StepRun(const Workload& workload, const std::vector<std::uint32_t>& groups, StepObserver& observer);
  // Throws WorkloadError where ranks wait for each other.
  void run();

 private:
  struct Slot {
    std::uint32_t channel = 0;
    std::uint64_t number = 0;  // of the message in the channel
    Step posted = 0;
    enum class Use : std::uint8_t { nothing, send, receive } use = Use::nothing;
  };
  struct RankRun {
    const Action* code = nullptr;
    const Action* next = nullptr;
    const float* values = nullptr;
    std::vector<Slot> slots;
    std::array<std::uint64_t, kMostLevels> times_left{};
    Step step = 0;
    std::uint64_t marks = 0;
    bool ended = false;
    bool posted = false;  // the blocking receive at `next`
  };
  struct ChannelRun {
    std::vector<StepObserver::Sent> sent;
    std::uint64_t receives = 0;
    std::uint32_t receiver = 0;
    bool awaited = false;  // the receiver has stopped until something comes
  };

  void run_rank(std::uint32_t rank);
  // False: the rank must wait.
  bool act(std::uint32_t rank, const Action& action);
  void compute(std::uint32_t rank, const Action& action);
  void send(std::uint32_t rank, const Action& action);
  void post(std::uint32_t rank, const Action& action);
  bool wait(std::uint32_t rank, std::uint32_t first, std::uint32_t count);
  void end(std::uint32_t rank, Slot& slot);
  void mark(std::uint32_t rank, const Action& action);
  [[nodiscard]] ChannelRun& channel_of(std::uint32_t rank, const Action& action);
  [[nodiscard]] bool between_groups(const StepObserver::Sent& message) const {
    return groups_[message.from] != groups_[message.to];
  }

  const Workload& workload_;
  const std::vector<std::uint32_t>& groups_;
  StepObserver& observer_;
  Pairing pairing_;
  std::vector<RankRun> ranks_;
  std::vector<ChannelRun> channels_;
  std::deque<std::uint32_t> ready_;
};

}  // namespace weft::sim
