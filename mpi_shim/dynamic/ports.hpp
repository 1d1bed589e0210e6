// The number of ports that a rank has opened.
#pragma once

#include <cstdint>

#include "mpi_shim/state/rank_part.hpp"

namespace weft::mpi_shim {
inline namespace dynamic {

struct OpenedPorts final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::ports;
  std::uint32_t count = 0;  // so far

  void pup(pup::Puper& p, RankState& /*me*/) override { p | count; }
};

}  // namespace dynamic
}  // namespace weft::mpi_shim
