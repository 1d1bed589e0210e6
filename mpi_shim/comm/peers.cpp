#include "mpi_shim/comm/peers.hpp"

#include <algorithm>

#include "mpi_shim/comm/comm_failures.hpp"
#include "mpi_shim/entry/failure_errors.hpp"
#include "runtime/failure/failures.hpp"

namespace weft::mpi_shim {
inline namespace comm {

runtime::MatchKey Peers::send_key() const {
  return {context_, source_ids_ == SourceIds::members ? rank_ : me_.job_rank, tag_};
}

runtime::MatchKey Peers::receive_key(int from) const {
  return {context_, source_ids_ == SourceIds::members ? from : group_.job_rank(from), tag_};
}

void Peers::start_send(int to, const runtime::Buffer& buffer, runtime::Request& request) const {
  request.prepare_send(*me_.rank, send_key(), to, buffer);
  if (const runtime::Failure why = failure(); why != runtime::Failure::none) [[unlikely]] {
    request.failure = why;
    request.done = true;
    return;
  }
  runtime::start_send(me_.rank->job.rank(job_rank(to)), runtime::SendMode::standard, request);
}

void Peers::start_receive(int from, const runtime::Buffer& buffer, runtime::Request& request) const {
  if (const runtime::Failure why = failure(); why != runtime::Failure::none) [[unlikely]] {
    request.reset(*me_.rank, runtime::Request::Kind::receive, receive_key(from), buffer);
    request.failure = why;
    request.done = true;
    return;
  }
  runtime::start_receive(*me_.rank, receive_key(from), buffer, request);
  // failure() cannot tell for by_job_rank(), so the communicator is looked up by the message's context.
  if (comm_ == nullptr && !request.done && me_.rank->job.failures() != nullptr) [[unlikely]] {
    fail_if_unmatchable(me_, request);
  }
}

void Peers::wait(runtime::Request& request) const {
  wait_message(me_, request);
  if (request.failure != runtime::Failure::none) [[unlikely]] {
    throw CallFailed{request.failure};
  }
}

runtime::Failure Peers::failure() const {
  return comm_ == nullptr ? runtime::Failure::none : failure_of_collective(*comm_);
}

void Peers::send(int to, const runtime::Buffer& buffer) const {
  runtime::Request request;
  start_send(to, buffer, request);
  wait(request);
}

std::uint64_t Peers::receive(int from, const runtime::Buffer& buffer) const {
  runtime::Request request;
  start_receive(from, buffer, request);
  wait(request);
  return request.sent;
}

void Peers::send_ints(int to, const std::vector<int>& ints) const {
  std::uint64_t count = ints.size();
  send(to, {&count, sizeof count});
  if (count != 0) {
    send(to, {const_cast<int*>(ints.data()), count * sizeof(int)});
  }
}

std::vector<int> Peers::receive_ints(int from) const {
  std::uint64_t count = 0;
  receive(from, {&count, sizeof count});
  std::vector<int> ints(count);
  if (count != 0) {
    receive(from, {ints.data(), count * sizeof(int)});
  }
  return ints;
}

void barrier_among(const Peers& peers) {
  const Tree tree(peers.rank(), peers.size());
  tree.up([&](int child, int) { peers.receive(child, {}); });
  if (!tree.is_root()) {
    peers.send(tree.parent(), {});
    peers.receive(tree.parent(), {});
  }
  tree.down([&](int child, int) { peers.send(child, {}); });
}

void broadcast_ints(const Peers& peers, int root, std::vector<int>& ints) {
  const Tree tree = Tree::rooted(peers, root);
  const auto member = [&](int number) { return (number + root) % peers.size(); };
  if (!tree.is_root()) {
    ints = peers.receive_ints(member(tree.parent()));
  }
  tree.down([&](int child, int) { peers.send_ints(member(child), ints); });
}

}  // namespace comm
}  // namespace weft::mpi_shim
