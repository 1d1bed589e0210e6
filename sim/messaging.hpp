// Messages of a simulated run: matched when they are sent, carried by the network, and charged to the workers at both
// ends.
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

// What a rank has to do for a message that has come: as its link says, and to copy so many bytes. Packed, as there are
// many: for up to 4,095 sites, and messages of a terabyte.
class Receipt {
 public:
  Receipt() = default;
  // The link's number in the network.
  Receipt(std::uint32_t link, std::uint64_t copied)
      : packed_(std::min(copied, kMostCopied) << kLinkBits | (std::uint64_t{link} + 1)) {}

  [[nodiscard]] bool is_nothing() const { return packed_ == 0; }
  [[nodiscard]] std::uint32_t link() const { return static_cast<std::uint32_t>(packed_ & (kLinks - 1)) - 1; }
  [[nodiscard]] std::uint64_t copied() const { return packed_ >> kLinkBits; }

 private:
  static constexpr unsigned kLinkBits = 24;
  static constexpr std::uint64_t kLinks = 1 << kLinkBits;
  static constexpr std::uint64_t kMostCopied = ~std::uint64_t{0} >> kLinkBits;

  std::uint64_t packed_ = 0;
};

// A send or a receive with its slot. Times that are not times: pending, and pending while its rank waits for it.
struct Request {
  static constexpr Seconds kPending = std::numeric_limits<Seconds>::infinity();
  static constexpr Seconds kAwaited = -1.0;
  Seconds done = 0.0;
  Receipt receipt{};  // for the rank that completes it, when it next looks
  [[nodiscard]] bool is_known() const { return done != kPending && done != kAwaited; }
};

// Where a message comes from or goes to.
struct MessageEnd {
  std::uint32_t rank = kNobody;
  std::uint32_t request = 0;
};

struct MessageCounts {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// The k-th send of a channel meets its k-th receive, whatever way the messages take. Each message goes through its
// states in time order by events; who sends and receives may be ahead of the events, but never behind.
class Messaging {
 public:
  Messaging(const Platform& platform, NetworkModel model, SimState& state);

  // Channels are numbered in the order of these calls.
  std::uint32_t add_channels(std::size_t channels);
  void set_receiver(std::uint32_t channel, std::uint32_t rank) { channels_[channel].receiver = rank; }
  std::uint32_t add_requests(std::size_t requests);

  // The rank runs, and is charged. Returns whether the sender's buffer is free at once; if not, the request tells when.
  bool send(MessageEnd from, std::uint32_t channel, std::uint64_t bytes);
  // The rank of `to` runs.
  void receive(MessageEnd to, std::uint32_t channel);
  // The request is complete at `done`, which may be in the future; its rank has `receipt` to do when it looks.
  void complete(const MessageEnd& end, Seconds done, Receipt receipt = {});
  // The rank looks at the request, which is complete: what it has to do. Leaves the slot unused.
  Seconds take(std::uint32_t request, const ColdCost& cold);
  [[nodiscard]] Request& request(std::uint32_t number) { return requests_[number]; }
  [[nodiscard]] const Request& request(std::uint32_t number) const { return requests_[number]; }

  // So that they are in the cache when they are needed: a channel; what a send into it looks at beside; requests of a
  // rank from this one on.
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

  // From now on what ranks send is counted; null before.
  void count_traffic(bool by_superstep) { traffic_.emplace(by_superstep ? state_.ranks.size() : 0); }
  [[nodiscard]] Traffic* traffic() { return traffic_ ? &*traffic_ : nullptr; }

  // Moves of ranks begin, none before `now`.
  void begin_moves(Seconds now) { moved_ = now; }
  // Bytes of a rank that moves from a worker to one of another process, from `now` on.
  void move(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Seconds now);
  // Moves that are under way, and when the last of those that were ended.
  [[nodiscard]] std::uint64_t moves() const { return moves_; }
  [[nodiscard]] Seconds moved() const { return moved_; }

  void on_enter_out(std::uint32_t message, Seconds now);
  void on_enter_in(std::uint32_t message, Seconds now);
  void on_end_flows(Seconds now);
  void on_settle_flows(Seconds now) { flows_->settle(now); }

  [[nodiscard]] const MessageCounts& counts() const { return counts_; }

 private:
  enum class State : std::uint8_t {
    receive,    // is none yet: a receive whose message has not been sent
    travels,    // eager, on its way
    arrived,    // eager
    announced,  // waits for its receive, or is fetched
    move,       // of a rank that moves
  };
  struct Message {
    Seconds time = 0.0;  // receive: when it was posted; arrived, announced: when
    std::uint64_t bytes = 0;
    const LinkCost* link = nullptr;
    MessageEnd from{};
    MessageEnd to{};  // the rank is nobody as long as there is no receive
    PortPair ports{};
    std::uint32_t behind = kNobody;  // the next one in the channel's queue, or of the unused
    State state = State::receive;
    bool remote = false;  // takes ports
  };
  // Messages without receives, or receives without messages, oldest first. Mostly there is one at most: a receive, or a
  // message that has arrived, lies in the channel itself, so that half a line of the cache has all that is needed.
  enum class First : std::uint32_t { listed, receive, arrived };
  struct alignas(32) ChannelState {
    Seconds time = 0.0;  // of the first, unless it is listed: when it was posted, or arrived
    union {
      Receipt receipt{};      // of one that has arrived
      std::uint32_t request;  // of a receive
    };
    First first = First::listed;
    std::uint32_t head = kNobody;  // the list of all others
    std::uint32_t tail = kNobody;
    std::uint32_t receiver = kNobody;
    [[nodiscard]] bool is_empty() const { return first == First::listed && head == kNobody; }
  };

  std::uint32_t make(const Message& message);
  void drop(std::uint32_t number);
  void enqueue(ChannelState& channel, std::uint32_t number);
  std::uint32_t dequeue(ChannelState& channel);
  bool take_receive(ChannelState& channel, Message& message);
  void deliver(ChannelState& channel, const Message& message, bool is_received, Seconds now);
  void start(std::uint32_t number, Seconds now);
  void has_arrived(std::uint32_t number, Seconds now);
  void fetch(std::uint32_t number, Seconds now);
  [[nodiscard]] bool takes_ports(const Message& message) const {
    return message.remote && model_ != NetworkModel::loggp;
  }
  [[nodiscard]] Receipt receipt(const Message& message, std::uint64_t copied) const {
    return {network_.number_of(*message.link), copied};
  }

  SimState& state_;
  Network network_;
  NetworkModel model_;
  std::uint64_t eager_limit_;
  std::uint64_t flow_limit_;
  std::optional<Flows> flows_;
  std::vector<ChannelState> channels_;
  std::vector<Request> requests_;
  std::vector<Message> messages_;
  std::uint32_t unused_ = kNobody;  // the first of the list
  std::uint64_t moves_ = 0;
  Seconds moved_ = 0.0;
  MessageCounts counts_;
  std::optional<Traffic> traffic_;
};

}  // namespace weft::sim
