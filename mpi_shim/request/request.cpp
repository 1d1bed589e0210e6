#include "mpi_shim/request/request.hpp"

namespace weft::mpi_shim {
inline namespace request {

RequestTable::RequestTable() {
  refill();
  // The first slot is completed_send(), which is always active and done.
  PendingRequest& first = *free_;
  free_ = first.next_free;
  first.active = true;
  first.message.kind = runtime::Request::Kind::send;
}

RequestTable::~RequestTable() {
  for_each([](PendingRequest& request) { request.operation.reset(); });
}

void RequestTable::refill() {
  chunks_.push_back(std::make_unique<PendingRequest[]>(kChunk));
  PendingRequest* const chunk = chunks_.back().get();
  for (std::size_t i = kChunk; i-- > 0;) {
    const std::uintptr_t index = count_ + i;
    const std::uintptr_t kind = static_cast<std::uintptr_t>(HandleKind::request) << kKindShift;
    chunk[i].handle = reinterpret_cast<MPI_Request>(kind | index);
    chunk[i].next_free = free_;
    free_ = &chunk[i];
  }
  count_ += kChunk;
}

void RequestTable::reset(PendingRequest& request) {
  if (request.operation || request.prepared || request.type) {
    request.operation.reset();
    request.prepared.reset();
    request.type.reset();
  }
  request.message.done = true;
  request.message.failure = runtime::Failure::none;
  request.comm = MPI_COMM_NULL;
  request.persistent = false;
  request.active = false;
  request.finished = false;
  request.abandoned = false;
  request.next_free = free_;
  free_ = &request;
  --live_;
}

}  // namespace request
}  // namespace weft::mpi_shim
