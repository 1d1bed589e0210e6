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
  peers.start_send(to, failed_ ? runtime::Buffer{} : buffer, request(ticket));
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
  peers.start_send(to, failed_ ? runtime::Buffer{} : buffer, request);
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
    broken_by_ = request.failure;
    return;
  }
  failed_ |= may_fail_ && is_cut_short(request);
  if (request.kind == runtime::Request::Kind::receive && request.truncated && !too_long_) [[unlikely]] {
    too_long_ = {request.key.source, request.sent, request.buffer.bytes};
  }
}

void BlockingExecutor::copy(const runtime::Buffer& from, const runtime::Buffer& to, int sender) {
  runtime::transfer(from, to);
  if (from.bytes > to.bytes && sender >= 0 && !too_long_) {
    too_long_ = {sender, from.bytes, to.bytes};
  }
}

void* BlockingExecutor::combine(const Reduction& reduction, void* left, void* right, std::size_t n) {
  if (broken_by_ != runtime::Failure::none) [[unlikely]] {
    return left;
  }
  if (reduction.own == nullptr) {
    reduction.kernel(right, left, n);
    return left;
  }
  failed_ =
      failed_ || !reduction.kept->run([&] { call_user_function(*reduction.own, left, right, n, *reduction.type); });
  return right;
}

std::byte* BlockingExecutor::scratch(std::size_t bytes) {
  return memory_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(bytes)).get();
}

int BlockingExecutor::result(const Entry& entry) const {
  if (broken_by_ != runtime::Failure::none) [[unlikely]] {
    return raise_failure(entry, comm_.handle, broken_by_);
  }
  if (failed_) {
    return entry.raise(comm_.handle, MPI_ERR_OTHER, kLeftOperation);
  }
  return too_long_ ? raise_too_long(entry, comm_.handle, too_long_->from, too_long_->bytes, too_long_->room)
                   : MPI_SUCCESS;
}

}  // namespace coll
}  // namespace weft::mpi_shim
