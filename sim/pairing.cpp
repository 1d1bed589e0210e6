#include "sim/pairing.hpp"

#include <limits>
#include <span>

#include <fmt/format.h>

namespace weft::sim {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

std::int64_t peer_of(const Channel& channel, std::uint32_t rank) {
  return channel.peer + (channel.addressing == Addressing::relative ? std::int64_t{rank} : 0);
}

class Joiner {
 public:
  explicit Joiner(const Workload& workload) : workload_(workload) {
    for (const Template& pattern : workload.templates) {
      messages_.push_back(messages_of(workload, pattern));
    }
  }

  Pairing join() {
    number_receivers();
    for (std::uint32_t rank = 0; rank < workload_.streams.size(); ++rank) {
      join_sends(rank);
    }
    const std::uint64_t receivers = pairing_.channels;
    if (joined_ != receivers) {
      for (std::uint32_t rank = 0; rank < workload_.streams.size(); ++rank) {
        find_unmatched_receive(rank);
      }
    }
    return std::move(pairing_);
  }

 private:
  [[nodiscard]] std::span<const Channel> channels_of(std::uint32_t rank) const {
    const Template& pattern = workload_.templates[workload_.streams[rank].pattern];
    return std::span(workload_.channels).subspan(pattern.first_channel, pattern.channels);
  }
  [[nodiscard]] std::uint64_t messages(std::uint32_t rank, std::size_t channel) const {
    return messages_[workload_.streams[rank].pattern][channel];
  }

  // Numbers the channels in the order of their receiving ends.
  void number_receivers() {
    std::uint64_t all = 0;
    for (std::uint32_t rank = 0; rank < workload_.streams.size(); ++rank) {
      pairing_.first.push_back(all);
      all += channels_of(rank).size();
    }
    pairing_.number.reserve(all);
    for (std::uint32_t rank = 0; rank < workload_.streams.size(); ++rank) {
      for (const Channel& channel : channels_of(rank)) {
        if (channel.end == ChannelEnd::receiver && pairing_.channels == kNone) {
          throw WorkloadError("more than 2^32 channels");
        }
        pairing_.number.push_back(channel.end == ChannelEnd::receiver ? pairing_.channels++ : kNone);
      }
    }
  }

  void join_sends(std::uint32_t rank) {
    const std::span<const Channel> channels = channels_of(rank);
    for (std::size_t i = 0; i < channels.size(); ++i) {
      if (channels[i].end == ChannelEnd::sender) {
        const auto to = peer_of(channels[i], rank);
        if (to < 0 || to >= static_cast<std::int64_t>(workload_.streams.size())) {
          throw WorkloadError(fmt::format("rank {} sends to rank {} of {}", rank, to, workload_.streams.size()));
        }
        join_send(rank, i, static_cast<std::uint32_t>(to));
      }
    }
  }

  void join_send(std::uint32_t rank, std::size_t index, std::uint32_t to) {
    const Channel& channel = channels_of(rank)[index];
    const std::span<const Channel> others = channels_of(to);
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (others[i].end == ChannelEnd::receiver && others[i].tag == channel.tag && others[i].comm == channel.comm &&
          peer_of(others[i], to) == rank) {
        if (messages(rank, index) != messages(to, i)) {
          refuse(rank, index, to, messages(to, i));
        }
        pairing_.number[pairing_.first[rank] + index] = pairing_.number[pairing_.first[to] + i];
        ++joined_;
        return;
      }
    }
    refuse(rank, index, to, 0);
  }

  [[noreturn]] void refuse(std::uint32_t rank, std::size_t index, std::uint32_t to, std::uint64_t received) const {
    const Channel& channel = channels_of(rank)[index];
    throw WorkloadError(fmt::format("rank {} sends {} messages with tag {} in context {} to rank {}, which receives {}",
                                    rank, messages(rank, index), channel.tag, channel.comm, to, received));
  }

  void find_unmatched_receive(std::uint32_t rank) const {
    for (const Channel& channel : channels_of(rank)) {
      const auto from = peer_of(channel, rank);
      bool sent = channel.end == ChannelEnd::sender;
      if (!sent && from >= 0 && from < static_cast<std::int64_t>(workload_.streams.size())) {
        for (const Channel& other : channels_of(static_cast<std::uint32_t>(from))) {
          sent = sent || (other.end == ChannelEnd::sender && other.tag == channel.tag && other.comm == channel.comm &&
                          peer_of(other, static_cast<std::uint32_t>(from)) == rank);
        }
      }
      if (!sent) {
        throw WorkloadError(
            fmt::format("rank {} receives messages with tag {} in context {} from rank {}, which sends none", rank,
                        channel.tag, channel.comm, from));
      }
    }
  }

  const Workload& workload_;
  std::vector<std::vector<std::uint64_t>> messages_;  // by template and channel
  Pairing pairing_;
  std::uint64_t joined_ = 0;
};

}  // namespace

Pairing pair_channels(const Workload& workload) { return Joiner(workload).join(); }

}  // namespace weft::sim
