// The word that says on which worker a rank is: every send to the rank reads it.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::runtime {
inline namespace sched {

class Worker;

// Besides the worker's address the word holds two bits, whose meaning the layer above defines (location/state.hpp).
// Written by the worker that has the rank; while every rank of the job is parked in a balancing step also by the main
// thread.
class WorkerWord {
 public:
  struct Value {
    Worker* worker = nullptr;  // null: the rank lives in another process
    std::uintptr_t bits = 0;
  };

  explicit WorkerWord(Worker* worker) : word_(pack({worker, 0})) {}

  Worker* load(std::memory_order order) const { return unpack(word_.load(order)).worker; }
  Worker* load() const { return load(std::memory_order_acquire); }  // pairs with store() and set()
  // Stores the bits as 0. REQUIRES: nobody can be sending to the rank.
  void store(Worker* worker, std::memory_order order) { word_.store(pack({worker, 0}), order); }
  // The same; returns the former worker.
  Worker* exchange(Worker* worker) { return unpack(word_.exchange(pack({worker, 0}))).worker; }

  // Acquire: pairs with set(): a worker that finds the rank on it sees what the rank's last worker did to it.
  Value get() const { return unpack(word_.load(std::memory_order_acquire)); }
  // Sequentially consistent. Its release side pairs with get(). Its place in the order of all such accesses, before the
  // asymmetric fence of LocationOperations::wait_for_posts(), pairs with begin_post().
  void set(Value next) { word_.exchange(pack(next), std::memory_order_seq_cst); }

 private:
  static constexpr std::uintptr_t kBits = 3;  // zero in a worker's address

  static std::uintptr_t pack(Value value) { return reinterpret_cast<std::uintptr_t>(value.worker) | value.bits; }
  static Value unpack(std::uintptr_t word) { return {reinterpret_cast<Worker*>(word & ~kBits), word & kBits}; }

  std::atomic<std::uintptr_t> word_;
};

}  // namespace sched
}  // namespace weft::runtime
