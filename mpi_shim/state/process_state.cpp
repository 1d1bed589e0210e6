#include "mpi_shim/state/process_state.hpp"

#include <utility>

#include "base/check.hpp"

namespace weft::mpi_shim {
inline namespace state {

ProcessState::ProcessState(const RankPartTable& rank_parts, const ProcessPartTable& process_parts,
                           const OperationTable& operations, std::unique_ptr<CallSites> call_sites)
    : rank_parts_(rank_parts), operations_(operations), call_sites_(std::move(call_sites)) {
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

std::unique_ptr<Operation> ProcessState::make_operation(Operation::Kind kind) const {
  const auto number = static_cast<std::size_t>(kind);
  base::check(number < operations_.size(), "an image holds an operation of a kind that there is not");
  return operations_[number]();
}

}  // namespace state
}  // namespace weft::mpi_shim
