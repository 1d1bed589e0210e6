#include "mpi_shim/p2p/partitioned/handshake.hpp"

#include <utility>

#include "base/check.hpp"
#include "mpi_shim/request/progress.hpp"
#include "runtime/p2p/packing.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

Handshake::~Handshake() {
  if (!request.done && request.kind == runtime::Request::Kind::receive) {
    runtime::cancel_receive(*request.owner, request);
  }
}

MPI_Request Handshake::send(RankState& me, const PreparedMessage& prepared, MPI_Comm comm, const Partitioning& mine) {
  auto handshake = std::make_unique<Handshake>();
  handshake->partitioning = mine;
  handshake->request.prepare_send(*me.rank, prepared.key, prepared.peer, {&handshake->partitioning, sizeof mine});
  runtime::start_send(*prepared.to, runtime::SendMode::standard, handshake->request);
  return add_operation(me, comm, std::move(handshake));
}

MPI_Request Handshake::receive(RankState& me, const PreparedMessage& prepared, MPI_Comm comm) {
  auto handshake = std::make_unique<Handshake>();
  runtime::start_receive(*me.rank, prepared.key, {&handshake->partitioning, sizeof handshake->partitioning},
                         handshake->request);
  return add_operation(me, comm, std::move(handshake));
}

Handshake& Handshake::from_handle(RankState& me, MPI_Request handle) {
  PendingRequest* const found = me.requests.find(handle);
  base::check(found != nullptr && found->operation != nullptr, "a partitioned transfer has lost its handshake");
  return static_cast<Handshake&>(*found->operation);
}

void Handshake::detach(RankState& me, MPI_Request& handle) {
  PendingRequest* const found = me.requests.find(std::exchange(handle, MPI_REQUEST_NULL));
  if (found == nullptr) {
    return;
  }
  if (found->finished) {
    me.requests.release(*found);
  } else {
    found->abandoned = true;
    me.requests.abandoned.push_back(found);
  }
}

void Handshake::pup(pup::Puper& p, runtime::Rank& owner) {
  p | partitioning;
  runtime::pup_request(p, owner, request);
  if (p.unpacking()) {
    request.buffer.base = &partitioning;
  } else if (p.packing()) {
    request.done = true;
  }
}

void Handshake::add_awaited(std::vector<runtime::Request*>& awaited) {
  if (!request.done) {
    awaited.push_back(&request);
  }
}

void Handshake::withdraw(RankState& me) {
  if (!request.done && request.kind == runtime::Request::Kind::receive) {
    runtime::cancel_receive(*me.rank, request);
  }
}

}  // namespace p2p
}  // namespace weft::mpi_shim
