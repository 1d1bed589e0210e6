// The data that a spawned rank gets of its parents: their ranks and the context numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace dynamic {

// The content of World::upper_layer_data.
struct ParentInfo {
  std::uint32_t world_context = 0;
  std::uint32_t parent_context = 0;  // of the intercommunicator; the parents are its side 0
  std::vector<int> parents;          // as ranks of the job

  void pup(pup::Puper& p) { p | world_context | parent_context | parents; }
};

// The first rank of each program that the job was started with. One copy per process, written before any rank runs.
inline std::vector<std::uint32_t> first_of_application;

// The state of a spawned rank, with its MPI_COMM_WORLD and its intercommunicator to the parents.
std::unique_ptr<RankState> make_spawned(runtime::Rank& rank);

// The parents' side of the intercommunicator. Every parent calls this; the first call in a process makes it.
std::shared_ptr<const CommShared> parents_side(runtime::Job& job, const ParentInfo& parent_info,
                                               std::shared_ptr<const Group> parents, std::vector<int> children);

}  // namespace dynamic
}  // namespace weft::mpi_shim
