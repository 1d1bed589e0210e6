#include "mpi_shim/p2p/partitioned/greeting.hpp"

#include <utility>

#include "base/check.hpp"
#include "mpi_shim/request/progress.hpp"
#include "runtime/p2p/carry.hpp"

namespace weft::mpi_shim {

Greeting::~Greeting() {
  if (!request.done && request.kind == runtime::Request::Kind::receive) {
    runtime::cancel_receive(*request.owner, request);
  }
}

MPI_Request Greeting::send(RankState& me, const Starter& starter, MPI_Comm comm, const Partitioning& mine) {
  auto greeting = std::make_unique<Greeting>();
  greeting->said = mine;
  runtime::start_send(*me.rank, *starter.to, starter.key, starter.peer, {&greeting->said, sizeof mine},
                      runtime::SendMode::standard, greeting->request);
  return add_operation(me, comm, std::move(greeting));
}

MPI_Request Greeting::expect(RankState& me, const Starter& starter, MPI_Comm comm) {
  auto greeting = std::make_unique<Greeting>();
  runtime::start_receive(*me.rank, starter.key, {&greeting->said, sizeof greeting->said}, greeting->request);
  return add_operation(me, comm, std::move(greeting));
}

Greeting& Greeting::behind(RankState& me, MPI_Request handle) {
  PendingRequest* const found = me.requests.find(handle);
  base::check(found != nullptr && found->operation != nullptr, "a partitioned transfer has lost its greeting");
  return static_cast<Greeting&>(*found->operation);
}

void Greeting::leave(RankState& me, MPI_Request& handle) {
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

void Greeting::pup(pup::Puper& p, runtime::Rank& owner) {
  p | said;
  runtime::pup_request(p, owner, request);
  if (p.unpacking()) {
    request.buffer.base = &said;
  } else if (p.packing()) {
    request.done = true;
  }
}

void Greeting::add_awaited(std::vector<runtime::Request*>& awaited) {
  if (!request.done) {
    awaited.push_back(&request);
  }
}

void Greeting::withdraw(RankState& me) {
  if (!request.done && request.kind == runtime::Request::Kind::receive) {
    runtime::cancel_receive(*me.rank, request);
  }
}

}  // namespace weft::mpi_shim
