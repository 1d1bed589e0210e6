// Starts ranks while the job runs. A coordinator, which is process 0 as long as it lives, gives out the free rank
// numbers.
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

// The steps of a request; the coordinator handles one request after the other:
//  1. The rank's process sends the request to the coordinator. If enough numbers are free, the coordinator chooses
//  numbers and workers and announces the new world to all processes.
//  2. The processes of the new ranks load their program. Every process registers the ranks, and answers that they can
//  be sent to or why they cannot.
//  3. When the coordinator has all answers, the ranks start and the rank that asked goes on. If a process cannot, the
//  ranks are unregistered instead.
//  4. When a spawned rank has ended and left nothing behind, its number is free again.
class Spawning final : public ControlHandler {
 public:
  Spawning(const JobContext& job, Termination& termination);

  // Suspends the rank until its new world starts. If it cannot, `failure` says why, and the result is null.
  static std::shared_ptr<const World> spawn(Rank& me, SpawnRequest request, std::string& failure);
  // With --survive api: a process has died. Any thread.
  void process_died(ProcessId process);
  // On the worker of a spawned rank that has ended and been released: frees its number, if it has left nothing behind.
  void release_number(Worker& here, Rank& rank);

 private:
  void on_control(ProcessId from, ControlKind kind, const ControlBody& body) override;
  struct Waiting;

  void begin_next();
  std::string choose_world(SpawnRequest& request, World& world);
  void take_numbers(std::uint32_t ranks, World& world);
  // On the main thread, except ask(), which any thread may call.
  void on(ProcessId from, SpawnAsked& asked);
  void on(ProcessId from, SpawnWorld& announced);
  void on(ProcessId from, SpawnReady& ready);
  void on(ProcessId from, SpawnStart& outcome);
  void on(ProcessId from, SpawnNumberFree& freed);
  void note_answer(ProcessId from);
  void count_spawned();
  void ask(std::uint32_t rank, const Waiting& waiting);
  void switch_coordinator();
  bool lives(ProcessId process) const;
  void load_programs();
  void register_rank(std::uint32_t rank_in_world);
  void finish_request(std::string failure);
  void start(Rank& rank);
  void unregister_rank(Rank& rank);
  void answer_request(const SpawnStart& outcome);
  // The worker of a rank of starting_world_; null if it is in another process.
  Worker* local_worker(std::uint32_t rank_in_world) const;

  const JobContext& job_;
  Termination& termination_;
  std::mutex mutex_;  // guards the next two
  std::uint32_t serial_ = 0;
  // Requests of this process's ranks, by rank; those of several threads of a rank are answered in their order.
  std::multimap<std::uint32_t, Waiting*> waiting_;

  // Touched by the main thread only.
  ProcessId coordinator_{};
  std::shared_ptr<const World> starting_world_;  // announced; its ranks have not started yet
  ProcessId announced_by_{};                     // the coordinator that has announced it
  std::uint32_t registered_ranks_ = 0;           // of it: the first so many

  // Touched by the coordinator's main thread only.
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen_requests_;  // with --survive api: (process, serial) of all
  std::deque<SpawnAsked> requests_;                                  // the first is under way if `busy_`
  bool busy_ = false;
  std::vector<std::uint32_t> starting_numbers_;  // of the world that is under way
  std::vector<std::uint32_t> starting_workers_;  // likewise
  std::deque<std::uint32_t> free_numbers_;       // the longest unused first
  std::uint32_t next_worker_ = 0;                // where the next world begins
  std::vector<bool> answer_missing_;             // by process
  std::string failure_;                          // from an answer; empty: none has one
};

}  // namespace spawning
}  // namespace weft::runtime
