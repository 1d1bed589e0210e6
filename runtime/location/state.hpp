// Where a rank of this process is, and which way its mail takes.
#pragma once

#include <cstdint>

#include "runtime/sched/worker_word.hpp"

namespace weft::runtime {
inline namespace location {

// The states of a rank of this process. One that lives in another process has no worker and no state.
enum class State : std::uintptr_t {
  here = 0,         // mail goes by its worker's inbox
  here_queued = 1,  // mail goes by the rank's own queue: it has changed its worker lately, or was about to
  exposed = 2,      // in a steal slot of its worker, or about to be; its mail waits in its queue
  leaving = 3,      // on its way to this worker, which has not taken it in yet; its mail waits in its queue
};

template <typename WorkerRef>
struct Location {
  WorkerRef worker{};  // null: in another process
  State state = State::here;

  friend bool operator==(const Location&, const Location&) = default;
};

// The location in a rank's RankLocation::worker. Acquire; pairs with set_location().
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
