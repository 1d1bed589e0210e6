// Messages of a simulated run: matches sends with receives, sends the bytes through the network, and charges the
// workers at both ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/flows.hpp"
#include "sim/network.hpp"
#include "sim/state.hpp"
#include "sim/traffic.hpp"

namespace weft::sim {

// The work of a rank that completes a receive, or the send of a long message between hosts: the overhead of the
// message's link, and bytes to copy. Packed, since there are many: for up to 4,095 sites, and messages of up to a
// terabyte.
class CompletionWork {
 public:
  CompletionWork() = default;
  // `link`: its number in the network.
  CompletionWork(std::uint32_t link, std::uint64_t copied)
      : packed_(std::min(copied, kMostCopied) << kLinkBits | (std::uint64_t{link} + 1)) {}

  [[nodiscard]] bool is_none() const { return packed_ == 0; }
  [[nodiscard]] std::uint32_t link() const { return static_cast<std::uint32_t>(packed_ & (kLinks - 1)) - 1; }
  [[nodiscard]] std::uint64_t copied() const { return packed_ >> kLinkBits; }

 private:
  static constexpr unsigned kLinkBits = 24;
  static constexpr std::uint64_t kLinks = 1 << kLinkBits;
  static constexpr std::uint64_t kMostCopied = ~std::uint64_t{0} >> kLinkBits;

  std::uint64_t packed_ = 0;
};

// The state of a send or a receive. Two values of `done` are not times: kPending, and kAwaited (pending, and its rank
// waits for it).
struct Request {
  static constexpr Seconds kPending = std::numeric_limits<Seconds>::infinity();
  static constexpr Seconds kAwaited = -1.0;
  Seconds done = 0.0;
  CompletionWork completion_work{};  // charged to the rank when it completes the request in a call
  [[nodiscard]] bool is_known() const { return done != kPending && done != kAwaited; }
};

// One end of a message: the rank and its request.
struct MessageEnd {
  std::uint32_t rank = kNobody;
  std::uint32_t request = 0;
};

struct MessageCounts {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// The k-th send of a channel matches its k-th receive, in whatever order the messages arrive. Events move each message
// through its states in time order. The times of ranks that send and receive may be ahead of the event queue's, but
// never behind.
class Messaging {
 public:
  Messaging(const Platform& platform, NetworkModel model, SimState& state);

  // Channels are numbered in the order of these calls.
  std::uint32_t add_channels(std::size_t channels);
  void set_receiver(std::uint32_t channel, std::uint32_t rank) { channels_[channel].receiver = rank; }
  std::uint32_t add_requests(std::size_t requests);

  // Charges the running rank for the send. Returns whether the buffer is free at once; if not, the request completes
  // later.
  bool send(MessageEnd from, std::uint32_t channel, std::uint64_t bytes);
  // Posts a receive of the running rank `to.rank`.
  void receive(MessageEnd to, std::uint32_t channel);
  // Completes the request at `done`, which may be in the future. The rank does `completion_work` in the call that
  // completes it.
  void complete(const MessageEnd& end, Seconds done, CompletionWork completion_work = {});
  // Frees the slot of a complete request. Returns the seconds of work that the rank has to do for it on its worker.
  Seconds retire(std::uint32_t request, WorkerState& worker, const ColdCost& cold);
  [[nodiscard]] Request& request(std::uint32_t number) { return requests_[number]; }
  [[nodiscard]] const Request& request(std::uint32_t number) const { return requests_[number]; }

  // Hints to the processor: a channel; what a send into the channel reads besides; a rank's requests from this one on.
  void prefetch_channel(std::uint32_t channel) const { __builtin_prefetch(&channels_[channel], 1); }
  void prefetch_receiver(std::uint32_t channel) const {
    const ChannelState& at = channels_[channel];
    __builtin_prefetch(&state_.ranks[at.receiver], 1);
    __builtin_prefetch(at.first == First::receive ? &requests_[at.request] : nullptr, 1);
  }
  void prefetch_requests(std::uint32_t first) const {
    for (std::uint32_t i = 0; i < 4; ++i) {
      __builtin_prefetch(requests_.data() + first + std::size_t{4} * i, 1);
    }
  }

  // From now on counts what ranks send; traffic() is null before.
  void count_traffic(bool by_superstep) { traffic_.emplace(by_superstep ? state_.ranks.size() : 0); }
  [[nodiscard]] Traffic* traffic() { return traffic_ ? &*traffic_ : nullptr; }

  // Moves of ranks begin; none of them before `now`.
  void begin_moves(Seconds now) { last_move_end_ = now; }
  // Sends the bytes of a rank that moves to a worker of another process, from `now` on. `from`, `to`: workers.
  void move(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Seconds now);
  // The number of moves in flight, and the end of the last move so far.
  [[nodiscard]] std::uint64_t moves_in_flight() const { return moves_in_flight_; }
  [[nodiscard]] Seconds last_move_end() const { return last_move_end_; }

  void on_enter_out(std::uint32_t message, Seconds now);
  void on_enter_in(std::uint32_t message, Seconds now);
  void on_end_flows(Seconds now);
  void on_update_rates(Seconds now) { flows_->update_rates(now); }

  [[nodiscard]] const MessageCounts& counts() const { return counts_; }

 private:
  enum class State : std::uint8_t {
    receive,    // no message yet: a posted receive whose message has not been sent
    travels,    // eager, in flight
    arrived,    // eager, not yet received
    announced,  // rendezvous: waits for its receive, or its data are in flight
    move,       // the bytes of a migrating rank
  };
  struct Message {
    Seconds time = 0.0;  // when the receive was posted, or the message arrived or was announced
    std::uint64_t bytes = 0;
    const LinkCost* link = nullptr;
    MessageEnd from{};
    MessageEnd to{};  // rank kNobody: not matched yet
    PortPair ports{};
    std::uint32_t behind = kNobody;  // the next one in the channel's list or in the free list
    State state = State::receive;
    bool remote = false;  // between processes
  };
  // Unmatched messages, or unmatched receives, oldest first. Usually there is at most one, so a single receive or
  // arrived message is stored in the channel itself: half a cache line then holds all that is needed.
  enum class First : std::uint32_t { listed, receive, arrived };
  struct alignas(32) ChannelState {
    Seconds time = 0.0;  // of the first, unless it is listed: when it was posted, or arrived
    union {
      CompletionWork completion_work{};  // of an arrived message
      std::uint32_t request;             // of a receive
    };
    First first = First::listed;
    std::uint32_t head = kNobody;  // list of all others
    std::uint32_t tail = kNobody;
    std::uint32_t receiver = kNobody;
    [[nodiscard]] bool is_empty() const { return first == First::listed && head == kNobody; }
  };

  std::uint32_t allocate(const Message& message);
  void release(std::uint32_t number);
  void enqueue(ChannelState& channel, std::uint32_t number);
  std::uint32_t dequeue(ChannelState& channel);
  bool take_receive(ChannelState& channel, Message& message);
  void deliver(ChannelState& channel, const Message& message, bool is_received, Seconds now);
  void start(std::uint32_t number, Seconds now);
  void finish_transfer(std::uint32_t number, Seconds now);
  void fetch(std::uint32_t number, Seconds now);
  [[nodiscard]] bool takes_ports(const Message& message) const {
    return message.remote && model_ != NetworkModel::loggp;
  }
  [[nodiscard]] CompletionWork completion_work(const Message& message, std::uint64_t copied) const {
    return {network_.number_of(*message.link), copied};
  }
  void complete_announced(const Message& message, Seconds now);

  SimState& state_;
  Network network_;
  NetworkModel model_;
  std::uint64_t eager_limit_;
  std::uint64_t flow_limit_;
  std::optional<Flows> flows_;
  std::vector<ChannelState> channels_;
  std::vector<Request> requests_;
  std::vector<Message> messages_;
  std::uint32_t free_list_ = kNobody;  // its first message
  std::uint64_t moves_in_flight_ = 0;
  Seconds last_move_end_ = 0.0;
  MessageCounts counts_;
  std::optional<Traffic> traffic_;
};

}  // namespace weft::sim
