#include "sim/recorded_channels.hpp"

#include <map>
#include <tuple>

namespace weft::sim {
namespace {

std::uint64_t pair_key(std::uint32_t rank, const RecordedChannel& channel) {
  return channel.end == ChannelEnd::sender ? std::uint64_t{rank} << 32 | channel.peer
                                           : std::uint64_t{channel.peer} << 32 | rank;
}

std::uint64_t mixed(const RecordedChannel& channel) {
  std::uint64_t z = std::uint64_t{channel.comm} << 32 | static_cast<std::uint32_t>(channel.tag);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;  // SplitMix64
  return z ^ (z >> 27);
}

}  // namespace

void RecordedChannels::note(std::uint32_t rank, const RecordedProgram& program) {
  for (const Action& action : program.actions) {
    if (action.is_message()) {
      const RecordedChannel& channel = program.channels[action.index];
      Pair& pair = pairs_[pair_key(rank, channel)];
      MessageOrder& order = channel.end == ChannelEnd::sender ? pair.sent : pair.received;
      ++order.messages;
      order.hash = order.hash * 0x94d049bb133111ebU + mixed(channel) + 1;
    }
  }
}

Channel RecordedChannels::channel_of(std::uint32_t rank, const RecordedChannel& recorded) const {
  Channel channel{.end = recorded.end,
                  .addressing = Addressing::relative,
                  .peer = static_cast<std::int32_t>(std::int64_t{recorded.peer} - rank)};
  const Pair& pair = pairs_.at(pair_key(rank, recorded));
  if (pair.sent != pair.received) {
    channel.tag = static_cast<std::uint32_t>(recorded.tag);
    channel.comm = recorded.comm;
  }
  return channel;
}

std::vector<Channel> RecordedChannels::join(std::uint32_t rank, RecordedProgram& program) const {
  std::vector<Channel> channels;
  std::vector<std::uint32_t> numbers(program.channels.size(), UINT32_MAX);
  std::map<std::tuple<ChannelEnd, std::int32_t, std::uint32_t, std::uint32_t>, std::uint32_t> known;
  for (Action& action : program.actions) {
    if (!action.is_message()) {
      continue;
    }
    std::uint32_t& number = numbers[action.index];
    if (number == UINT32_MAX) {
      const Channel channel = channel_of(rank, program.channels[action.index]);
      const auto [at, is_new] = known.try_emplace({channel.end, channel.peer, channel.tag, channel.comm},
                                                  static_cast<std::uint32_t>(channels.size()));
      if (is_new) {
        channels.push_back(channel);
      }
      number = at->second;
    }
    action.index = number;
  }
  return channels;
}

}  // namespace weft::sim
