// The topology of a communicator: its neighbours, and making a communicator with a topology.
#pragma once

#include <memory>
#include <vector>

#include "mpi_shim/state/state.hpp"
#include "mpi_shim/topology/topology.hpp"

namespace weft::mpi_shim {
inline namespace topology {

// The ranks that neighbourhood collectives receive from and send to, in the standard's order. MPI_PROC_NULL at the
// border of a grid. The communicator must have a topology.
struct Neighbours {
  std::vector<int> sources, destinations;
};
Neighbours neighbours(const Communicator& comm);

// The communicator's topology when it is of this kind, else null.
std::shared_ptr<const Topology> topology_of(const Communicator& comm, int kind);

// Collective over `parent`; suspends only in a job of several processes. Makes a communicator of `group`: calls with
// the same `part` pass the same members, calls with different parts pass disjoint groups. Returns the new handle, or
// MPI_COMM_NULL at ranks outside the group. Throws CallFailed after a failure in `parent`.
MPI_Comm make_with_topology(RankState& me, Communicator& parent, int part, std::shared_ptr<const Group> group,
                            std::shared_ptr<const Topology> topology);

// The group of members 0 … count - 1.
std::shared_ptr<const Group> first_members(const std::shared_ptr<const Group>& group, int count);

}  // namespace topology
}  // namespace weft::mpi_shim
