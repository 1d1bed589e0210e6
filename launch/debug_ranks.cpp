#include "launch/debug_ranks.hpp"

#include <array>

namespace weft::launch {
namespace {

constexpr std::array<const char*, 6> kStateNames{"ready", "running", "parked", "moving", "ended", "dormant"};
static_assert(static_cast<std::size_t>(runtime::Rank::State::dormant) + 1 == kStateNames.size());
static_assert(sizeof(runtime::Rank::State) == 1);

}  // namespace

DebugRanks::DebugRanks(const runtime::Job& job) {
  for (std::uint32_t r = 0; r < job.rank_count(); ++r) {
    const runtime::Rank& rank = job.rank(r);
    ranks_.push_back({.context = rank.fiber.saved_context(),
                      .state = reinterpret_cast<const std::uint8_t*>(&rank.state),
                      .worker = &rank.worker_number,
                      .call = &rank.call});
  }
  weft_debug.ranks = ranks_.data();
  weft_debug.rank_count = ranks_.size();
  weft_debug.state_names = kStateNames.data();
  weft_debug.state_count = kStateNames.size();
}

DebugRanks::~DebugRanks() {
  weft_debug.rank_count = 0;
  weft_debug.ranks = nullptr;
}

}  // namespace weft::launch
