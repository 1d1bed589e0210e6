// Where a rank of this process is, and by which way mail gets to it.
#pragma once

#include <cstdint>

#include "runtime/sched/worker_word.hpp"

namespace weft::runtime {
inline namespace location {

// A rank that lives in another process is elsewhere: it has no worker.
enum class State : std::uintptr_t {
  here = 0,         // mail goes by its worker's inbox
  here_queued = 1,  // mail goes by a queue of the rank's own: the rank has changed its worker lately, or was about to
  exposed = 2,      // in a steal slot of its worker, or about to be; its mail waits in its queue
  leaving = 3,      // given to this worker, which has not taken it in yet; its mail waits in its queue
};

template <typename WorkerRef>
struct Location {
  WorkerRef worker{};  // null: elsewhere
  State state = State::here;

  friend bool operator==(const Location&, const Location&) = default;
};

// The runtime's form: RankLocation::worker. Acquire; pairs with set_location().
inline Location<Worker*> location_in(const WorkerWord& word) {
  const WorkerWord::Value value = word.get();
  return {value.worker, static_cast<State>(value.bits)};
}

// A sequentially consistent exchange; pairs with location_in().
inline void set_location(WorkerWord& word, Location<Worker*> at) {
  word.set({at.worker, static_cast<std::uintptr_t>(at.state)});
}

}  // namespace location
}  // namespace weft::runtime
