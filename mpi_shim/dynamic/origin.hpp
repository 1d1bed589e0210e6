// What a spawned rank is given of its parents: who they are, and the context numbers of their intercommunicator.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace dynamic {

// World::upper_layer_data. Numbers of contexts, and the parents' numbers in the job.
struct Origin {
  std::uint32_t world_context = 0;
  std::uint32_t parent_context = 0;  // of the intercommunicator, whose side 0 the parents are
  std::vector<int> parents;

  void pup(pup::Puper& p) { p | world_context | parent_context | parents; }
};

// The process's; written before any rank runs: the first rank of each program that the job was started with.
inline std::vector<std::uint32_t> first_of_application;

// The state of a rank that was spawned, with its MPI_COMM_WORLD and its intercommunicator to the parents.
std::unique_ptr<RankState> make_spawned(runtime::Rank& rank);

// The parents' side of the intercommunicator; each of them finds it for itself.
std::shared_ptr<const CommShared> parents_side(runtime::Job& job, const Origin& origin,
                                               std::shared_ptr<const Group> parents, std::vector<int> children);

}  // namespace dynamic
}  // namespace weft::mpi_shim
