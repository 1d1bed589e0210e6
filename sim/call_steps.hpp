// Writes one member's steps of a collective call as actions. The algorithms are those of mpi_shim/coll/steps.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/actions.hpp"
#include "sim/collective.hpp"

namespace weft::sim {

struct CallMember {
  std::uint32_t number = 0;
  std::uint32_t size = 1;
};

// A collective call of one member.
struct MemberCall {
  CollectiveCall call;
  std::span<const std::uint64_t> counts;  // empty: all blocks have `bytes`
  std::uint64_t bytes = 0;
  CallMember member;
};

// `channel(from, to)` is the channel between two members.
using ChannelOf = std::function<std::uint32_t(std::uint32_t, std::uint32_t)>;

// Uses the algorithm that Weft chooses by default for members in several processes.
CallProgram write_steps(const MemberCall& call, const CallWork& work, const ChannelOf& channel);

}  // namespace weft::sim
