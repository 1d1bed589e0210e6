// Communicators: a part shared by all members of this process and a small part that is each rank's own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mpi.h"
#include "mpi_shim/attributes.hpp"
#include "mpi_shim/group.hpp"
#include "runtime/team/team.hpp"

namespace weft::mpi_shim {

// Cartesian, graph or distributed-graph neighbourhood; defined in topology.hpp.
struct Topology;

// One per communicator and process, whatever its size. Constant after construction.
struct CommShared {
  std::uint32_t context = 0;  // messages use 2 * context, collectives' own messages 2 * context + 1
  std::shared_ptr<const Group> group;
  std::shared_ptr<const Group> remote;  // intercommunicator only: whom ranks of `group` send to
  std::unique_ptr<runtime::Team> team;  // members of `group`, in its order; null for a communicator of one rank
  std::shared_ptr<const Topology> topology;
};

// One rank's view. Its address is stable while a handle or a pending operation names it.
struct Communicator {
  std::shared_ptr<const CommShared> shared;
  int rank = 0;
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  std::string name;
  Attributes attributes;

  int size() const { return shared->group->size(); }
  bool is_inter() const { return shared->remote != nullptr; }
  const Group& peers() const { return is_inter() ? *shared->remote : *shared->group; }  // whom p2p ranks number
  runtime::Team* team() const { return shared->team.get(); }
  std::uint32_t message_context() const { return 2 * shared->context; }
  std::uint32_t collective_context() const { return 2 * shared->context + 1; }
};

}  // namespace weft::mpi_shim
