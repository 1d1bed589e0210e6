#include "mpi_shim/state/process_state.hpp"

namespace weft::mpi_shim {

ProcessState::ProcessState(const RankPartTable& rank_parts, const ProcessPartTable& process_parts)
    : rank_parts_(rank_parts) {
  for (std::size_t i = 0; i < kProcessParts; ++i) {
    parts_[i] = process_parts[i]();
  }
}

RankParts ProcessState::make_rank_parts() const {
  RankParts parts;
  for (std::size_t i = 0; i < kRankParts; ++i) {
    parts[i] = rank_parts_[i]();
  }
  return parts;
}

}  // namespace weft::mpi_shim
