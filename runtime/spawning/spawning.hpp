// Ranks that start while the job runs: process 0 has the numbers that no rank has, all processes agree on who gets
// them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/control/control_handler.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/control/rank.hpp"
#include "runtime/sched/inbox.hpp"
#include "runtime/setup/world.hpp"
#include "runtime/spawning/spawn_messages.hpp"

namespace weft::runtime {
inline namespace termination {
class Termination;
}  // namespace termination

inline namespace spawning {

// What a request comes to, in this order, one request after the other:
//  1. The rank's process asks the coordinator, which is process 0 as long as it lives. If there are numbers enough,
//  that chooses numbers and workers and tells all.
//  2. The processes of these ranks read their program, and every process says that the ranks can be sent to.
//  3. The coordinator has all answers: the ranks start, and the rank that asked goes on. If one could not, nothing has
//  been.
//  4. A rank that ends and leaves nothing behind gives its number back.
class Spawning final : public ControlHandler {
 public:
  Spawning(const JobContext& job, Termination& termination);

  // Suspends the rank until its new world starts. Without one, `failure` says why.
  static std::shared_ptr<const World> spawn(Rank& me, SpawnRequest request, std::string& failure);
  // With --survive api: a process has died. Any thread.
  void process_died(ProcessId process);
  // On the worker of a spawned rank, which has ended and been released.
  void vacate(Worker& here, Rank& rank);

 private:
  void on_control(ProcessId from, ControlKind kind, const ControlBody& body) override;
  struct Waiting;

  void begin();
  std::string choose(SpawnRequest& request, World& world);
  void take_numbers(std::uint32_t ranks, World& world);
  // On the main thread.
  void on(ProcessId from, SpawnAsked& asked);
  void on(ProcessId from, SpawnWorld& coming);
  void on(ProcessId from, SpawnReady& ready);
  void on(ProcessId from, SpawnStart& outcome);
  void on(ProcessId from, SpawnVacant& vacant);
  void note_answer(ProcessId from);
  void count_spawned();
  void ask(std::uint32_t rank, const Waiting& waiting);
  void follow_coordinator();
  bool lives(ProcessId process) const;
  void load();
  void enrol(std::uint32_t place);
  void finish(std::string failure);
  void start(Rank& rank);
  void give_up(Rank& rank);
  void answer(const SpawnStart& outcome);
  Worker* worker_here(std::uint32_t place) const;  // of the world that comes; null in another process

  const JobContext& job_;
  Termination& termination_;
  std::mutex mutex_;  // guards the two that follow
  std::uint32_t serial_ = 0;
  // Ranks of this process that have asked, by number; of the threads of one the first that asked is answered first.
  std::multimap<std::uint32_t, Waiting*> waiting_;

  // The main thread's.
  ProcessId coordinator_{};
  std::shared_ptr<const World> coming_;  // whose ranks have not started yet
  ProcessId coming_from_{};
  std::uint32_t equipped_ = 0;  // places of it that have been seen to

  // The coordinator's main thread's.
  std::set<std::pair<std::uint32_t, std::uint32_t>> asked_;  // with --survive api: all so far, by process and serial
  std::deque<SpawnAsked> asks_;                              // the first is under way if `busy_`
  bool busy_ = false;
  std::vector<std::uint32_t> taken_;     // by the world that is under way
  std::vector<std::uint32_t> taken_on_;  // its workers
  std::deque<std::uint32_t> vacant_;     // numbers, the longest unused first
  std::uint32_t next_worker_ = 0;        // where the next world begins
  std::vector<bool> awaited_;            // by process: has not answered
  std::string failure_;                  // of one that has
};

}  // namespace spawning
}  // namespace weft::runtime
