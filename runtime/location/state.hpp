// Where a rank is: the one word that every send to it reads.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::runtime {

class Worker;

namespace location {

// Of a rank that lives in this process. One that lives in another process is elsewhere: it has no worker.
enum class State : std::uintptr_t {
  here = 0,         // mail goes by its worker's inbox
  here_queued = 1,  // mail goes by a queue of the rank's own: the rank has changed its worker lately, or was about to
  exposed = 2,      // in a steal slot of its worker, or about to be; its mail waits in its queue
  leaving = 3,      // given to this worker, which has not heard of it yet; its mail waits in its queue
};

template <typename WorkerRef>
struct Location {
  WorkerRef worker{};  // null: elsewhere
  State state = State::here;

  friend bool operator==(const Location&, const Location&) = default;
};

}  // namespace location

// The runtime's form: the worker's address, and the state in the bits that are zero there. Who changes it: the rank's
// worker; the worker that steals the rank; while every rank of the job is parked in a balancing step also the main
// thread.
class LocationWord {
 public:
  explicit LocationWord(Worker* worker) : word_(pack({worker, location::State::here})) {}

  // The worker alone, null where the rank is elsewhere; the rank may be on its way there (State::leaving).
  Worker* load(std::memory_order order) const { return unpack(word_.load(order)).worker; }
  Worker* load() const { return load(std::memory_order_acquire); }
  // The rank is there, and its mail goes by the inbox. Only where nobody can be sending to it.
  void store(Worker* worker, std::memory_order order) { word_.store(pack({worker, location::State::here}), order); }

  location::Location<Worker*> get(std::memory_order order) const { return unpack(word_.load(order)); }
  void exchange(location::Location<Worker*> next) { word_.exchange(pack(next), std::memory_order_seq_cst); }
  // The hot path's question: on this worker, and mail goes by its inbox.
  bool is_here(const Worker* worker) const {
    return word_.load(std::memory_order_relaxed) == reinterpret_cast<std::uintptr_t>(worker);
  }

 private:
  static constexpr std::uintptr_t kStateBits = 3;

  static std::uintptr_t pack(location::Location<Worker*> at) {
    return reinterpret_cast<std::uintptr_t>(at.worker) | static_cast<std::uintptr_t>(at.state);
  }
  static location::Location<Worker*> unpack(std::uintptr_t word) {
    return {reinterpret_cast<Worker*>(word & ~kStateBits), static_cast<location::State>(word & kStateBits)};
  }

  std::atomic<std::uintptr_t> word_;
};

}  // namespace weft::runtime
