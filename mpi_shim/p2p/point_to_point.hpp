// What calls that send and receive share: the checks of their arguments, and the start of a message.
#pragma once

#include <limits>
#include <memory>

#include "mpi_shim/entry/message_arguments.hpp"
#include "mpi_shim/request/progress.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

inline constexpr int kLargestTag = std::numeric_limits<int>::max();  // MPI_TAG_UB

// Called when CheckedMessage returns false. Reports the first wrong argument through the error handler and returns its
// class. MPI_SUCCESS if none is wrong: then the peer is MPI_PROC_NULL.
[[gnu::noinline, gnu::cold]] int refuse_send(const Entry& entry, const MessageArguments& call);
[[gnu::noinline, gnu::cold]] int refuse_receive(const Entry& entry, const MessageArguments& call);
// Reports a message that was longer than the receive's buffer.
[[gnu::noinline, gnu::cold]] int report_truncation(const Entry& entry, MPI_Comm comm, const runtime::Request& request);

// Checks a call's arguments, by one or two comparisons each. False: one is wrong, or the peer is MPI_PROC_NULL.
class CheckedMessage {
 public:
  bool checks_as_send(RankState& me, const MessageArguments& call) {
    return checks(me, call) && call.tag >= 0 && call.peer >= 0 && call.peer < peers->size();
  }
  // -1 is no tag: MPI_ANY_TAG is -2.
  bool checks_as_receive(RankState& me, const MessageArguments& call) {
    return checks(me, call) && call.tag >= MPI_ANY_TAG && call.tag != -1 && call.peer >= MPI_ANY_SOURCE &&
           call.peer < peers->size();
  }

  runtime::Buffer buffer(const MessageArguments& call) const {
    return message_buffer(call.address, static_cast<std::size_t>(call.count), *type);
  }
  runtime::Rank& receiver(const RankState& me, const MessageArguments& call) const {
    return me.rank->job.rank(static_cast<std::uint32_t>(peers->job_rank(call.peer)));
  }
  runtime::MatchKey send_key(const MessageArguments& call) const {
    return {comm->message_context(), comm->rank, call.tag};
  }
  runtime::MatchKey receive_key(const MessageArguments& call) const {
    return {comm->message_context(), call.peer, call.tag};
  }

  // A failure of the communicator is known that may concern the call. Pairs with CommFailures::note(): if a rank does
  // not see the failure, it starts its message before its worker acts on the notice, and the worker finds the message.
  bool is_impaired() const { return comm->shared->failures.any.load(std::memory_order_acquire); }
  bool is_revoked() const { return comm->shared->failures.is_revoked(); }

  Communicator* comm = nullptr;
  const Group* peers = nullptr;
  const Datatype* type = nullptr;

 private:
  bool checks(RankState& me, const MessageArguments& call) {
    comm = find_comm(me, call.comm);
    type = find_datatype(me, call.datatype);
    if (comm == nullptr || type == nullptr || !type->committed || call.count < 0) [[unlikely]] {
      return false;
    }
    peers = &comm->peers();
    // MPI_BOTTOM (0) is valid with types that hold addresses. MPI_IN_PLACE (1) is never valid.
    return reinterpret_cast<std::uintptr_t>(call.address) > 1 || call.count == 0 ||
           (call.address == nullptr && !lies_at_null(nullptr, call.count, *type));
  }
};

// Completes a request with this failure, instead of starting it.
inline void complete_failed(runtime::Failure why, runtime::Request& request) {
  request.done = true;
  request.failure = why;
}

// Starts a checked send or receive into `request`, which must stay in place until it is done.
inline void start(RankState& me, const CheckedMessage& checked, const MessageArguments& call, runtime::SendMode mode,
                  runtime::Request& request) {
  request.prepare_send(*me.rank, checked.send_key(call), call.peer, checked.buffer(call));
  if (checked.is_revoked()) [[unlikely]] {
    complete_failed(runtime::Failure::revoked, request);
    return;
  }
  runtime::start_send(checked.receiver(me, call), mode, request);
}
inline void start(RankState& me, const CheckedMessage& checked, const MessageArguments& call,
                  runtime::Request& request) {
  if (checked.is_revoked()) [[unlikely]] {
    request.reset(*me.rank, runtime::Request::Kind::receive, checked.receive_key(call), checked.buffer(call));
    complete_failed(runtime::Failure::revoked, request);
    return;
  }
  runtime::start_receive(*me.rank, checked.receive_key(call), checked.buffer(call), request);
  if (!request.done && checked.is_impaired()) [[unlikely]] {
    fail_if_unmatchable(me, request);
  }
}

// Completes a receive from MPI_PROC_NULL, with nothing received.
void complete_null_receive(runtime::Request& request);
// Completes a send to MPI_PROC_NULL.
void complete_null_send(runtime::Request& request);

// An empty operation of MPI_Isendrecv, to unpack one into.
std::unique_ptr<Operation> make_exchange();

// The bodies of MPI_Send and its like; `entry` names the call.
int send(const Entry& entry, const MessageArguments& call, runtime::SendMode mode);
int receive(const Entry& entry, const MessageArguments& call, MPI_Status* status);
int start_send_request(const Entry& entry, const MessageArguments& call, runtime::SendMode mode, MPI_Request* request);
int start_receive_request(const Entry& entry, const MessageArguments& call, MPI_Request* request);

}  // namespace p2p
}  // namespace weft::mpi_shim
