// What a simulated run's timeline shows, as a trace of a real run has it: who ran where and when, calls, messages,
// moves and balancing steps. trace/chrome.hpp writes it for viewers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/actions.hpp"
#include "trace/event.hpp"

namespace weft::sim {

// The simulator calls these functions in the order in which it works things out: a rank may be ahead of others.
class Timeline {
 public:
  // One message's way.
  struct Way {
    std::uint32_t from = 0;  // ranks
    std::uint32_t to = 0;
    std::uint32_t channel = 0;
    std::uint64_t bytes = 0;
  };

  void begin(std::size_t ranks, std::size_t workers);

  // The worker begins to run a rank; it ends, or only waits from then on.
  void begin_run(std::uint32_t worker, Seconds now) { run_begins_[worker] = now; }
  void end_run(std::uint32_t worker, std::uint32_t rank, Seconds now);
  // The rank is at an action, also again after it has waited there; nothing where that is no call of MPI.
  void enter(std::uint32_t worker, std::uint32_t rank, ActionKind kind, Seconds now);
  // Its call, where it is in one, ends.
  void leave(std::uint32_t worker, std::uint32_t rank, Seconds now);

  void sent(std::uint32_t worker, const Way& way, Seconds now);
  // The rank's request, whose number no other rank has, takes the channel's next message.
  void posted(std::uint32_t rank, std::uint32_t request, std::uint32_t channel);
  // The request is complete; nothing where it is one of a send.
  void completed(std::uint32_t worker, std::uint32_t request, Seconds now);

  void moved(std::uint32_t rank, std::uint32_t from, std::uint32_t to, Seconds now);
  void balanced(Seconds begin, Seconds end);

  // Each worker's events by time, in nanoseconds. Nothing is left.
  trace::Trace take();

 private:
  struct Posted {
    std::uint32_t rank;
    std::uint32_t channel;
  };

  std::uint32_t name_of(std::string_view name);

  trace::Trace trace_;
  std::vector<std::uint8_t> in_call_;                        // by rank
  std::vector<Seconds> run_begins_;                          // by worker
  std::unordered_map<std::uint32_t, std::deque<Way>> ways_;  // by channel: messages that have not come
  std::unordered_map<std::uint32_t, Posted> receives_;       // by request
};

}  // namespace weft::sim
