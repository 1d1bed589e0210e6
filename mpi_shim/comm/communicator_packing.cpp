// Packs communicators when their rank moves to another process.
#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/topology/topology.hpp"

namespace weft::mpi_shim {
inline namespace comm {

void CommBlueprint::pup(pup::Puper& p) { p | context | group | remote | topology | side; }

void Communicator::pup(pup::Puper& p) {
  p | rank | children | schedules | is_internal | name | hints | neighbourhood;
  pup::same_address(p, handle);
  pup::same_address(p, errhandler);
  pup::same_address(p, session);
  pup_attributes(p, attributes);
}

}  // namespace comm
}  // namespace weft::mpi_shim
