// MPI_Sendrecv, MPI_Sendrecv_replace and their non-blocking forms.
#include <algorithm>
#include <array>

#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/entry/traced_calls.hpp"
#include "mpi_shim/p2p/point_to_point.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/request/small_array.hpp"
#include "mpi_shim/request/status.hpp"

using namespace weft::mpi_shim;
namespace runtime = weft::runtime;

namespace {

// The send and the receive of one call.
struct Exchange {
  runtime::Failure failure() const {
    return receive.failure != runtime::Failure::none ? receive.failure : send.failure;
  }

  runtime::Request send;
  runtime::Request receive;
};

// Checks both, and starts the receive first, so that a message to the rank itself matches it. MPI_SUCCESS or the error.
int start_exchange(const Entry& entry, const MessageArguments& out, const MessageArguments& in, Exchange& exchange,
                   bool blocking) {
  CheckedMessage to;
  CheckedMessage from;
  const bool sends = to.checks_as_send(entry.me, out);
  if (!sends) {
    if (const int error = refuse_send(entry, out); error != MPI_SUCCESS) {
      return error;
    }
  }
  if (from.checks_as_receive(entry.me, in)) {
    start(entry.me, from, in, exchange.receive);
  } else {
    if (const int error = refuse_receive(entry, in); error != MPI_SUCCESS) {
      return error;
    }
    complete_null_receive(exchange.receive);
  }
  if (sends) {
    if (blocking) {
      trace_sent(entry.me, out);
    }
    start(entry.me, to, out, runtime::SendMode::standard, exchange.send);
  } else {
    complete_null_send(exchange.send);
  }
  return MPI_SUCCESS;
}

int exchange(const Entry& entry, const MessageArguments& out, const MessageArguments& in, MPI_Status* status) {
  Exchange both;
  if (const int error = start_exchange(entry, out, in, both, true); error != MPI_SUCCESS) {
    return error;
  }
  wait_message(entry.me, both.receive);
  trace_received(entry.me, in, both.receive);
  wait_message(entry.me, both.send);
  if (const runtime::Failure why = both.failure(); why != runtime::Failure::none) [[unlikely]] {
    return raise_failure(entry, in.comm, why);
  }
  if (status != MPI_STATUS_IGNORE) {
    fill_status(*status, both.receive.key.source, both.receive.key.tag, both.receive.bytes);
  }
  return both.receive.truncated ? report_truncation(entry, in.comm, both.receive) : MPI_SUCCESS;
}

// What MPI_Sendrecv_replace sends: the packed bytes of the buffer, which the receive then overwrites.
using Packed = SmallArray<std::byte, 512>;

int pack_for_replacement(const Entry& entry, const MessageArguments& call, std::unique_ptr<Packed>& packed) {
  if (const int error = refuse_buffer(entry, call); error != MPI_SUCCESS) {
    return error;
  }
  const Datatype& type = *find_datatype(entry.me, call.datatype);
  const runtime::Buffer buffer = message_buffer(call.address, static_cast<std::size_t>(call.count), type);
  packed = std::make_unique<Packed>(buffer.bytes);
  runtime::pack(buffer, packed->span());
  return MPI_SUCCESS;
}

MessageArguments packed_message(Packed& packed, int dest, int tag, MPI_Comm comm) {
  return {packed.data(), static_cast<MPI_Count>(packed.size()), MPI_BYTE, dest, tag, comm};
}

int replace(const Entry& entry, const MessageArguments& in, int dest, int send_tag, MPI_Status* status) {
  std::unique_ptr<Packed> packed;
  if (const int error = pack_for_replacement(entry, in, packed); error != MPI_SUCCESS) {
    return error;
  }
  return exchange(entry, packed_message(*packed, dest, send_tag, in.comm), in, status);
}

// MPI_Isendrecv: two messages with one request.
class PendingExchange final : public Operation {
 public:
  Kind kind() const override { return Kind::exchange; }
  void pup(weft::pup::Puper& p, runtime::Rank& owner) override {
    p | types[0] | types[1];
    pup_message_request(p, owner, both.send);
    pup_message_request(p, owner, both.receive);
    bool replaces = packed != nullptr;
    p | replaces;
    if (replaces) {
      auto size = static_cast<std::uint64_t>(p.unpacking() ? 0 : packed->size());
      p | size;
      if (p.unpacking()) {
        packed = std::make_unique<Packed>(size);
        both.send.buffer.base = packed->data();
      }
      p.bytes(packed->span());
    }
  }
  const char* pinned() const override {
    return packed != nullptr && !both.send.done ? "it waits in MPI_Isendrecv_replace" : pinned_by(both.send);
  }
  bool advance(RankState&) override { return both.send.done && both.receive.done; }
  void add_awaited(std::vector<runtime::Request*>& awaited) override {
    for (runtime::Request* const request : {&both.send, &both.receive}) {
      if (!request->done) {
        awaited.push_back(request);
      }
    }
  }
  int finish(RankState&, MPI_Status& status) override {
    // The request ends with both messages, so that its receive cannot stay pending as one from any source may.
    if (const runtime::Failure why = both.failure(); why != runtime::Failure::none) [[unlikely]] {
      return error_class_of(why == runtime::Failure::any_source ? runtime::Failure::process_failed : why);
    }
    fill_status(status, both.receive.key.source, both.receive.key.tag, both.receive.bytes);
    return both.receive.truncated ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  }

  Exchange both;
  std::array<std::shared_ptr<const Datatype>, 2> types;
  std::unique_ptr<Packed> packed;  // MPI_Isendrecv_replace: what is being sent
};

}  // namespace

std::unique_ptr<Operation> weft::mpi_shim::make_exchange() { return std::make_unique<PendingExchange>(); }

namespace {

int start_pending_exchange(const Entry& entry, const MessageArguments& out, const MessageArguments& in,
                           std::unique_ptr<Packed> packed, MPI_Request* request) {
  auto pending = std::make_unique<PendingExchange>();
  pending->packed = std::move(packed);
  if (const int error = start_exchange(entry, out, in, pending->both, false); error != MPI_SUCCESS) {
    return error;
  }
  pending->types = {keep_alive(*find_datatype(entry.me, out.datatype)),
                    keep_alive(*find_datatype(entry.me, in.datatype))};
  *request = add_operation(entry.me, in.comm, std::move(pending));
  trace_start_send(entry.me, out, *request);
  trace_start_receive(entry.me, in.peer, in.tag, *request);
  return MPI_SUCCESS;
}

int start_replace(const Entry& entry, const MessageArguments& in, int dest, int send_tag, MPI_Request* request) {
  std::unique_ptr<Packed> packed;
  if (const int error = pack_for_replacement(entry, in, packed); error != MPI_SUCCESS) {
    return error;
  }
  const MessageArguments out = packed_message(*packed, dest, send_tag, in.comm);
  return start_pending_exchange(entry, out, in, std::move(packed), request);
}

}  // namespace

#include "mpi_shim/generated/p2p/sendrecv.inc"
