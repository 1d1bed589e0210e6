// Threads that take turns at a worker, as a model that tests/runtime/explorer.hpp explores: two threads of the worker,
// a thread of a rank, a producer of items, a process that rings and a signal handler. They run the functions of
// runtime/sched/lock_protocol.hpp, sleep_protocol.hpp and runtime/net/doorbell_protocol.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "runtime/sched/lock_protocol.hpp"
#include "tests/runtime/explorer.hpp"
#include "tests/runtime/sched/sleep_model.hpp"

namespace weft::runtime {
inline namespace sched {
namespace locking::model {

using sleeping::model::LeftOut;

// Threads. The worker's own thread runs ranks from the beginning, the added one once it is started.
inline constexpr std::uint8_t kOwn = 0;
inline constexpr std::uint8_t kFurther = 1;
inline constexpr std::uint8_t kCaller = 2;  // a thread of a rank
inline constexpr std::uint8_t kProducer = 3;
inline constexpr std::uint8_t kRinger = 4;
inline constexpr std::uint8_t kHandler = 5;
inline constexpr std::uint8_t kThreads = 6;

// How often each thread acts.
struct Setting {
  std::uint8_t programs = 0;  // the worker's own thread leaves MPI with its rank, and comes back
  std::uint8_t calls = 0;     // of the rank's thread, which makes a rank ready
  std::uint8_t waits = 0;     // or waits in its call for the producer's item
  std::uint8_t items = 0;
  std::uint8_t messages = 0;  // of the other process
  std::uint8_t signals = 0;
  LeftOut left_out = LeftOut::nothing;
};

struct Turn {
  std::uint8_t thread = 0;
};
struct WorkerThread {
  Turn turn;
};

enum class Further : std::uint8_t { none, started, running };

struct Model {
  struct Thread {
    std::uint8_t busy = 0;
    std::uint8_t rounds_left = 0;  // of the worker's: 0 once it has retired
    std::uint8_t is_granted = 0;
    exploring::Log log;
  };

  explicit Model(const Setting& setting);

  std::uint32_t choices() const { return kThreads; }
  bool take(std::uint32_t choice);
  std::string describe(std::uint32_t choice) const;
  std::string wrong() const;
  std::string wrong_at_end() const;
  bool may_begin(std::uint32_t thread) const;
  void end_round(std::uint32_t thread);
  bool all_has_come() const { return consumed == expected && ready == 0; }

  sleeping::model::SleepState sleep;
  std::array<Thread, kThreads> threads{};
  // Guarded by the mutex.
  std::uint8_t mutex = 0;
  std::uint8_t taken = 1;
  std::uint8_t ending = 0;
  std::array<std::uint8_t, kThreads> waiting{};  // numbers of threads plus one; 0: none
  std::uint8_t standby = 0;                      // the same
  std::uint8_t spare = 0;                        // the same
  // Of whoever holds the lock.
  std::uint8_t inside = 0;  // how many threads hold it: must be at most one
  std::uint8_t consumed = 0;
  std::uint8_t ready = 0;        // ranks for a thread of the worker
  std::uint8_t has_arrived = 0;  // what the rank's thread waits for
  std::uint8_t caller_waits = 0;
  std::uint8_t stopping = 0;
  // Of single threads.
  Further further = Further::none;
  std::uint8_t programs = 0;
  std::uint8_t expected = 0;  // how much is to be consumed, without the item that ends the worker
  std::uint8_t call_waits = 0;
  std::array<std::uint8_t, 3> unused{};  // to a multiple of eight bytes
};

}  // namespace locking::model
}  // namespace sched
}  // namespace weft::runtime
