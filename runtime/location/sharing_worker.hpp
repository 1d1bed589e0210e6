// A worker that exchanges ready ranks with the others of its process while they run (--lb-continuous).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/control/rank.hpp"
#include "runtime/p2p/message_worker.hpp"
#include "runtime/sched/steal_slots.hpp"

namespace weft::runtime {

class Job;
struct Forwarding;  // forwarding.cpp

// Every worker of a job is one; without the option nothing here is called. Touched by its worker's thread, but for
// claim_idle() and what other workers take out of the steal slots.
class SharingWorker : public MessageWorker {
 public:
  SharingWorker(Job& its, WorkerId worker, const WorkerHooks& worker_hooks, const WorkerConfig& config,
                const MessageConfig& messages)
      : MessageWorker(worker, worker_hooks, config, messages), job_(its) {}

  static SharingWorker& of(Worker& worker) { return static_cast<SharingWorker&>(worker); }
  static const SharingWorker& of(const Worker& worker) { return static_cast<const SharingWorker&>(worker); }
  Job& job() const { return job_; }

  // WorkerHooks::scheduling_point: gives ready ranks to the workers where they belong, and to idle ones.
  void share();
  // WorkerHooks::before_switch: puts ready ranks where other workers may take them meanwhile; not `left`, whose stack
  // is still in use.
  void expose(const ExecutionContext& next, const ExecutionContext& left);
  void withdraw_exposed();
  void inbox_emptied();
  // WorkerHooks::on_idle: takes a rank that another worker has exposed.
  bool steal();
  // It has nothing to do, and says so.
  void mark_idle();
  // It has nothing to do, and has not been given anything yet: true for one caller. Any worker.
  bool claim_idle();

 private:
  // Taken out of the ready queue; null when none is to be given away. `shortest`: ticks that it runs at a time.
  Rank* spare_rank(std::uint64_t now, std::uint64_t shortest);
  void give_as_planned();  // those ready ranks that belong to another worker

  Job& job_;
  std::atomic<bool> idle_ = false;
  std::uint64_t tried_to_share_ = 0;
  StealSlots steal_slots_;
  std::vector<Forwarding*> taken_;  // what others took from it, until the inbox has been emptied
};

}  // namespace weft::runtime
