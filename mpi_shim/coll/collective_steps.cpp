#include "mpi_shim/coll/collective_steps.hpp"

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/request/progress.hpp"

namespace weft::mpi_shim {
inline namespace coll {

Peers BlockingExecutor::members(Collective call) const { return Peers::within(me_, comm_, static_cast<int>(call)); }

Peers BlockingExecutor::own_group(Collective call) const {
  return Peers::within(me_, comm_, static_cast<int>(call) + kOwnGroupTag);
}

Peers BlockingExecutor::other_group(Collective call) const {
  return Peers::across(me_, comm_, static_cast<int>(call) + kAcrossTag);
}

CollectiveSteps::Ticket BlockingExecutor::fresh_ticket() {
  if (!free_.empty()) {
    const Ticket ticket = free_.back();
    free_.pop_back();
    return ticket;
  }
  if (tickets_ >= first_.size()) {
    more_.push_back(std::make_unique<runtime::Request>());
  }
  return tickets_++;
}

CollectiveSteps::Ticket BlockingExecutor::start_send(const Peers& peers, int to, const runtime::Buffer& buffer) {
  const Ticket ticket = fresh_ticket();
  peers.start_send(to, op_threw_ ? runtime::Buffer{} : buffer, request(ticket));
  return ticket;
}

CollectiveSteps::Ticket BlockingExecutor::start_receive(const Peers& peers, int from, const runtime::Buffer& buffer) {
  const Ticket ticket = fresh_ticket();
  peers.start_receive(from, buffer, request(ticket));
  return ticket;
}

void BlockingExecutor::wait(Ticket ticket) {
  wait_message(me_, request(ticket));
  note(request(ticket));
  free_.push_back(ticket);
}

void BlockingExecutor::send(const Peers& peers, int to, const runtime::Buffer& buffer) {
  runtime::Request request;
  peers.start_send(to, op_threw_ ? runtime::Buffer{} : buffer, request);
  wait_message(me_, request);
  note(request);
}

void BlockingExecutor::receive(const Peers& peers, int from, const runtime::Buffer& buffer) {
  runtime::Request request;
  peers.start_receive(from, buffer, request);
  wait_message(me_, request);
  note(request);
}

void BlockingExecutor::note(const runtime::Request& request) {
  if (request.failure != runtime::Failure::none) [[unlikely]] {
    failure_ = request.failure;
    return;
  }
  op_threw_ |= op_may_throw_ && is_short_receive(request);
  if (request.kind == runtime::Request::Kind::receive && request.truncated && !truncation_) [[unlikely]] {
    truncation_ = {request.key.source, request.sent, request.buffer.bytes};
  }
}

void BlockingExecutor::copy(const runtime::Buffer& from, const runtime::Buffer& to, int sender) {
  runtime::transfer(from, to);
  if (from.bytes > to.bytes && sender >= 0 && !truncation_) {
    truncation_ = {sender, from.bytes, to.bytes};
  }
}

void* BlockingExecutor::combine(const Reduction& reduction, void* left, void* right, std::size_t n) {
  if (failure_ != runtime::Failure::none) [[unlikely]] {
    return left;
  }
  if (reduction.user_op == nullptr) {
    reduction.kernel(right, left, n);
    return left;
  }
  op_threw_ = op_threw_ || !reduction.pending_exception->run(
                               [&] { call_user_function(*reduction.user_op, left, right, n, *reduction.type); });
  return right;
}

std::byte* BlockingExecutor::scratch(std::size_t bytes) {
  return memory_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(bytes)).get();
}

int BlockingExecutor::result(const Entry& entry) const {
  if (failure_ != runtime::Failure::none) [[unlikely]] {
    return raise_failure(entry, comm_.handle, failure_);
  }
  if (op_threw_) {
    return entry.raise(comm_.handle, MPI_ERR_OTHER, kOperationThrew);
  }
  return truncation_ ? raise_truncation(entry, comm_.handle, truncation_->from, truncation_->bytes, truncation_->room)
                     : MPI_SUCCESS;
}

}  // namespace coll
}  // namespace weft::mpi_shim
