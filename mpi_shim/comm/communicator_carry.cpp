// Communicators on a move to another process.
#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/topology/topology.hpp"

namespace weft::mpi_shim {

void CommBlueprint::pup(pup::Puper& p) { p | context | group | remote | topology | side; }

void Communicator::pup(pup::Puper& p) {
  p | rank | children | schedules | name | hints | neighbourhood;
  pup::same_address(p, handle);
  pup::same_address(p, errhandler);
  pup::same_address(p, session);
  pup_attributes(p, attributes);
}

void pup_communicator(pup::Puper& p, runtime::Rank& owner, Communicator& comm) {
  CommBlueprint blueprint;
  if (!p.unpacking()) {
    const CommShared& shared = *comm.shared;
    blueprint = {shared.context, shared.group, shared.remote, shared.topology, shared.side};
  }
  p | comm | blueprint;
  if (p.unpacking()) {
    comm.shared = find_or_make_comm(owner.job, std::move(blueprint));
    join_team(owner, comm);
  }
}

}  // namespace weft::mpi_shim
