// The timeline of a simulated run in the form of a real run's trace: which rank ran where and when, calls, messages,
// moves and balancing steps. trace/chrome.hpp exports it for viewers.
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

// The simulator calls these functions in the order of its computation, not of time: a rank may be ahead of others.
class Timeline {
 public:
  // A message that was sent and not yet received.
  struct SentMessage {
    std::uint32_t from = 0;  // ranks
    std::uint32_t to = 0;
    std::uint32_t channel = 0;
    std::uint64_t bytes = 0;
  };

  void begin(std::size_t ranks, std::size_t workers);

  // The worker begins to run a rank; the rank stops running since it ends or waits.
  void begin_run(std::uint32_t worker, Seconds now) { run_begins_[worker] = now; }
  void end_run(std::uint32_t worker, std::uint32_t rank, Seconds now);
  // The rank is at an action; may be called again after the rank has waited there. Ignored unless the action is an MPI
  // call.
  void enter(std::uint32_t worker, std::uint32_t rank, ActionKind kind, Seconds now);
  // The rank leaves its call, if it is in one.
  void leave(std::uint32_t worker, std::uint32_t rank, Seconds now);

  void sent(std::uint32_t worker, const SentMessage& message, Seconds now);
  // The rank's request receives the channel's next message. Numbers of requests are unique in the job.
  void posted(std::uint32_t rank, std::uint32_t request, std::uint32_t channel);
  // The request is complete. Ignored for requests of sends.
  void completed(std::uint32_t worker, std::uint32_t request, Seconds now);

  void moved(std::uint32_t rank, std::uint32_t from, std::uint32_t to, Seconds now);
  void balanced(Seconds begin, Seconds end);

  // Returns each worker's events sorted by time, in nanoseconds, and leaves the timeline empty.
  trace::Trace take_trace();

 private:
  struct Posted {
    std::uint32_t rank;
    std::uint32_t channel;
  };

  std::uint32_t name_of(std::string_view name);

  trace::Trace trace_;
  std::vector<std::uint8_t> in_call_;                                     // by rank
  std::vector<Seconds> run_begins_;                                       // by worker
  std::unordered_map<std::uint32_t, std::deque<SentMessage>> in_flight_;  // by channel: messages not yet received
  std::unordered_map<std::uint32_t, Posted> receives_;                    // by request
};

}  // namespace weft::sim
