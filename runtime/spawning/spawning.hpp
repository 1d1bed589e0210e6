// Ranks that start while the job runs: process 0 has the numbers that no rank has, all processes agree on who gets
// them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/control/cluster.hpp"
#include "runtime/job/world.hpp"
#include "runtime/sched/inbox.hpp"
#include "runtime/sched/rank.hpp"

namespace weft::runtime {

struct SpawnRequest {
  std::vector<Application> applications;           // but for how many ranks
  std::vector<std::vector<std::uint32_t>> counts;  // by application: how many will do, the best first
  std::vector<std::byte> client;                   // World::client

  void pup(pup::Puper& p) { p | applications | counts | client; }
};

// What a request comes to, in this order, one request after the other:
//  1. The rank's process tells process 0. If there are numbers enough, that chooses numbers and workers and tells all.
//  2. Every process stops balancing steps, the ranks' own ones read their program, and each says that the ranks can
//     be sent to.
//  3. Process 0 has heard all: the ranks start, and the rank that asked goes on. If one could not, nothing has been.
//  4. A rank that ends and leaves nothing behind gives its number back.
class Spawning {
 public:
  explicit Spawning(Cluster& cluster);

  // Suspends the rank until its new world starts. Without one, `failure` says why.
  static std::shared_ptr<const World> spawn(Rank& me, SpawnRequest request, std::string& failure);
  // On the worker of a spawned rank, which has ended and been released.
  void vacate(Worker& here, Rank& rank);

  void hear(ProcessId from, Control what, std::span<const std::byte> text);

 private:
  struct Ask {
    std::uint32_t rank = 0;  // who asks
    SpawnRequest request;
    void pup(pup::Puper& p) { p | rank | request; }
  };
  struct Outcome;
  struct Waiting;

  void begin();
  std::string choose(SpawnRequest& request, World& world);
  void take_numbers(std::uint32_t ranks, World& world);
  void on_enrol(std::span<const std::byte> text);
  void load();
  void enrol(std::uint32_t place);
  void on_enrolled(std::string failure);
  void finish(std::string failure);
  void on_start(const Outcome& outcome);
  void start(Rank& rank);
  void give_up(Rank& rank);
  void answer(const Outcome& outcome);
  Worker* worker_here(std::uint32_t place) const;  // of the world that comes; null in another process

  Cluster& cluster_;
  std::mutex mutex_;  // guards waiting_
  // Ranks of this process that have asked, by number; of the threads of one the first that asked is answered first.
  std::multimap<std::uint32_t, Waiting*> waiting_;

  // The main thread's.
  std::shared_ptr<const World> coming_;  // whose ranks have not started yet
  std::uint32_t equipped_ = 0;           // places of it that have been seen to

  // Process 0's main thread's.
  std::deque<Ask> asks_;  // the first is under way if `busy_`
  bool busy_ = false;
  std::vector<std::uint32_t> taken_;  // by the world that is under way
  std::deque<std::uint32_t> vacant_;  // numbers, the longest unused first
  std::uint32_t next_worker_ = 0;     // where the next world begins
  std::uint32_t missing_ = 0;         // processes that have not answered
  std::string failure_;               // of one that has
};

}  // namespace weft::runtime
