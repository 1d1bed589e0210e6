// How far apart two workers are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::lb {

// The relation of two workers, nearest first.
enum class Distance : std::uint8_t { kSameWorker, kSameNuma, kSameProcess, kSameHost, kOtherHost };
inline constexpr auto kDistancesWithinHost = static_cast<std::size_t>(Distance::kOtherHost);

}  // namespace weft::lb
