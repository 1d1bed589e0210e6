// Divides the actions of a workload's ranks into logical steps, like Lamport's logical clocks (1978) with groups of
// ranks as processes.
//
// A step consists of the number of sync points that the rank has passed (calls of MPI_Migrate and collective calls of
// all ranks) and a level, which is 0 after each sync point. A rank that receives a message sent in step s continues in
// a later step than s if the sender is in another group, and in s or later if it is in the rank's own group. Each send
// into a channel is in a later step than the one before. A group that executes its steps in order therefore never
// waits for a later step of another group.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/actions.hpp"
#include "sim/pairing.hpp"

namespace weft::sim {

using LogicalStep = std::uint64_t;  // sync points in the upper 32 bits, the level in the lower
constexpr LogicalStep step_at_sync_point(std::uint64_t number) { return number << 32; }

// Is told what ranks do in their steps. The calls for one rank come in the order of its actions.
class LogicalStepObserver {
 public:
  LogicalStepObserver() = default;
  LogicalStepObserver(const LogicalStepObserver&) = delete;
  LogicalStepObserver& operator=(const LogicalStepObserver&) = delete;
  virtual ~LogicalStepObserver() = default;

  struct Sent {
    std::uint32_t from = 0;  // ranks
    std::uint32_t to = 0;
    LogicalStep step = 0;
    std::uint64_t bytes = 0;
  };
  virtual void on_work(std::uint32_t rank, LogicalStep step, std::uint32_t phase, Seconds seconds) = 0;
  // The rank's work since its last wait, send or sync point precedes this message and belongs to the message's step.
  virtual void on_send(const Sent& message) = 0;
  // The rank's wait is over. Its earlier work stays in the step in which it was done.
  virtual void on_wait(std::uint32_t rank) = 0;
  // These two are called only for messages between groups.
  virtual void on_send_complete(const Sent& message, LogicalStep step) = 0;  // the sender's wait for it is over
  virtual void on_receive(const Sent& message, LogicalStep posted, LogicalStep step) = 0;
  // A migrate or a collective action, the rank's `number`-th, counted from 1; `load`: the listed load of a migrate
  // action.
  virtual void on_sync_point(std::uint32_t rank, std::uint64_t number, const Action& action, Seconds load) = 0;
};

// Executes all ranks' actions without times; sends never block.
class LogicalStepRun {
 public:
  // All must outlive this.
  LogicalStepRun(const Workload& workload, const std::vector<std::uint32_t>& groups, LogicalStepObserver& observer);
  // Throws WorkloadError if a rank waits for a message that is never sent.
  void run();

 private:
  struct Slot {
    std::uint32_t channel = 0;
    std::uint64_t number = 0;  // of the message in the channel
    LogicalStep posted = 0;
    enum class Use : std::uint8_t { nothing, send, receive } use = Use::nothing;
  };
  struct RankRun {
    const Action* code = nullptr;
    const Action* next = nullptr;
    const float* values = nullptr;
    std::vector<Slot> slots;
    std::array<std::uint64_t, kMostLevels> times_left{};
    LogicalStep step = 0;
    std::uint64_t sync_points = 0;
    bool ended = false;
    bool posted = false;  // the blocking receive at `next`
  };
  struct ChannelRun {
    std::vector<LogicalStepObserver::Sent> sent;
    std::uint64_t receives = 0;
    std::uint32_t receiver = 0;
    bool awaited = false;  // the receiver waits for its next message
  };

  void run_rank(std::uint32_t rank);
  // Returns false if the rank must wait.
  bool act(std::uint32_t rank, const Action& action);
  void compute(std::uint32_t rank, const Action& action);
  void send(std::uint32_t rank, const Action& action);
  void post(std::uint32_t rank, const Action& action);
  bool wait(std::uint32_t rank, std::uint32_t first, std::uint32_t count);
  void end(std::uint32_t rank, Slot& slot);
  void pass_sync_point(std::uint32_t rank, const Action& action);
  [[nodiscard]] ChannelRun& channel_of(std::uint32_t rank, const Action& action);
  [[nodiscard]] bool between_groups(const LogicalStepObserver::Sent& message) const {
    return groups_[message.from] != groups_[message.to];
  }

  const Workload& workload_;
  const std::vector<std::uint32_t>& groups_;
  LogicalStepObserver& observer_;
  Pairing pairing_;
  std::vector<RankRun> ranks_;
  std::vector<ChannelRun> channels_;
  std::deque<std::uint32_t> ready_;
};

}  // namespace weft::sim
