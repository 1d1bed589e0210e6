#include "mpi_shim/p2p/buffered_send.hpp"

#include <cstdlib>
#include <memory>
#include <new>

#include "base/check.hpp"
#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/entry/traced_calls.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/session/session.hpp"
#include "runtime/p2p/packing.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

namespace {

constexpr std::size_t kAlignment = alignof(std::max_align_t);

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) & ~(kAlignment - 1); }

// The communicator's buffer, else that of its session, else the rank's; may be null. A persistent send may be started
// after its communicator has been freed: it gets the rank's.
SendBuffer* buffer_for(RankState& me, MPI_Comm comm) {
  const Communicator* const found = find_comm(me, comm);
  if (found != nullptr && found->send_buffer != nullptr) {
    return found->send_buffer.get();
  }
  const Session* const session = found == nullptr ? nullptr : me.part<Sessions>().open.find(found->session);
  return session != nullptr && session->send_buffer != nullptr ? session->send_buffer.get()
                                                               : me.part<SendBuffers>().send_buffer.get();
}

int no_room(const Entry& entry, MPI_Comm comm, const SendBuffer* buffer, std::size_t bytes) {
  if (buffer == nullptr) {
    return entry.raise(comm, MPI_ERR_BUFFER, "no buffer is attached: call MPI_Buffer_attach first");
  }
  return entry.raise(comm, MPI_ERR_BUFFER,
                     "a message of {} bytes finds no room in the attached buffer of {} bytes, which also holds the "
                     "messages not yet received; each needs MPI_BSEND_OVERHEAD bytes more than its data",
                     bytes, buffer->size);
}

}  // namespace

BufferedMessage* SendBuffer::link_message(BufferedMessage* after, std::byte* at, std::size_t bytes) {
  auto* const message = new (at) BufferedMessage;
  message->bytes = bytes;
  message->previous = after;
  message->next = after == nullptr ? first : after->next;
  (after == nullptr ? first : after->next) = message;
  if (message->next != nullptr) {
    message->next->previous = message;
  }
  return message;
}

BufferedMessage* SendBuffer::allocate(std::size_t payload) {
  release_sent();
  const std::size_t bytes = aligned(sizeof(BufferedMessage) + payload);
  if (automatic()) {
    void* const memory = std::malloc(bytes);
    return memory == nullptr ? nullptr : link_message(nullptr, static_cast<std::byte*>(memory), bytes);
  }
  void* start = base;
  std::size_t room = size;
  if (std::align(kAlignment, sizeof(BufferedMessage), start, room) == nullptr) {
    return nullptr;
  }
  // First fit: before the first message, between two, or after the last.
  auto* at = static_cast<std::byte*>(start);
  std::byte* const end = at + room;
  BufferedMessage* before = nullptr;
  for (BufferedMessage* after = first; after != nullptr; after = after->next) {
    if (static_cast<std::size_t>(reinterpret_cast<std::byte*>(after) - at) >= bytes) {
      break;
    }
    at = reinterpret_cast<std::byte*>(after) + after->bytes;
    before = after;
  }
  const bool last = before == nullptr ? first == nullptr : before->next == nullptr;
  return last && static_cast<std::size_t>(end - at) < bytes ? nullptr : link_message(before, at, bytes);
}

void SendBuffer::release(BufferedMessage& message) {
  (message.previous == nullptr ? first : message.previous->next) = message.next;
  if (message.next != nullptr) {
    message.next->previous = message.previous;
  }
  if (automatic()) {
    std::free(&message);
  }
}

void SendBuffer::release_sent() {
  for (BufferedMessage* message = first; message != nullptr;) {
    BufferedMessage* const next = message->next;
    if (message->request.done && message->waiters == 0) {
      release(*message);
    }
    message = next;
  }
}

// While it waits, other threads of the rank may release messages and add others.
void SendBuffer::flush(RankState& me) {
  while (BufferedMessage* const message = unsent_before(UINT64_MAX)) {
    ++message->waiters;
    wait_message(me, message->request);
    --message->waiters;
    release_sent();
  }
  release_sent();
}

BufferedMessage* SendBuffer::unsent_before(std::uint64_t end) {
  BufferedMessage* message = first;
  while (message != nullptr && (message->number >= end || message->request.done)) {
    message = message->next;
  }
  return message;
}

void SendBuffer::pup(pup::Puper& p, runtime::Rank& owner) {
  pup::same_address(p, base);
  p | size;
  if (automatic()) {
    pup_own_memory(p, owner);
    return;
  }
  pup::same_address(p, first);
  for (BufferedMessage* message = first; message != nullptr; message = message->next) {
    runtime::pup_request(p, owner, message->request);
  }
}

const char* SendBuffer::pinned() const {
  for (const BufferedMessage* message = automatic() ? first : nullptr; message != nullptr; message = message->next) {
    if (!message->request.done) {
      return "a message waits in MPI_BUFFER_AUTOMATIC";
    }
  }
  return nullptr;
}

// The messages get other addresses. Once packed, they are freed here.
void SendBuffer::pup_own_memory(pup::Puper& p, runtime::Rank& owner) {
  BufferedMessage* message = first;
  for (;;) {
    bool present = message != nullptr;
    p | present;
    if (!present) {
      return;
    }
    auto bytes = static_cast<std::uint64_t>(p.unpacking() ? 0 : message->bytes);
    p | bytes;
    if (p.unpacking()) {
      void* const memory = std::malloc(bytes);
      base::check(memory != nullptr, "no memory for the buffered messages of a rank that came");
      message = link_message(nullptr, static_cast<std::byte*>(memory), bytes);
    }
    p | message->number;
    runtime::pup_request(p, owner, message->request);
    p.bytes({message->payload(), bytes - sizeof(BufferedMessage)});
    BufferedMessage* const next = message->next;
    if (p.packing()) {
      release(*message);
    } else if (p.unpacking()) {
      message->request.buffer.base = message->payload();
    }
    message = p.unpacking() ? nullptr : next;
  }
}

int start_buffered(const Entry& entry, MPI_Comm comm, const PreparedMessage& prepared) {
  if (entry.me.rank->job.failures() != nullptr) [[unlikely]] {
    if (const auto why = known_failure(entry.me, prepared.key); why != runtime::Failure::none) {
      return raise_failure(entry, comm, why);
    }
  }
  SendBuffer* const buffer = buffer_for(entry.me, comm);
  BufferedMessage* const message = buffer == nullptr ? nullptr : buffer->allocate(prepared.buffer.bytes);
  if (message == nullptr) {
    return no_room(entry, comm, buffer, prepared.buffer.bytes);
  }
  message->number = entry.me.part<SendBuffers>().sent++;
  runtime::pack(prepared.buffer, {message->payload(), prepared.buffer.bytes});
  message->request.prepare_send(*entry.me.rank, prepared.key, prepared.peer,
                                {message->payload(), prepared.buffer.bytes, nullptr, 1});
  runtime::start_send(*prepared.to, runtime::SendMode::standard, message->request);
  return MPI_SUCCESS;
}

int start_buffered(const Entry& entry, const CheckedMessage& checked, const MessageArguments& call) {
  return start_buffered(entry, call.comm,
                        PreparedMessage{.to = &checked.receiver(entry.me, call),
                                        .buffer = checked.buffer(call),
                                        .key = checked.send_key(call),
                                        .peer = call.peer});
}

namespace {

// Visits everything that may have a buffer: the rank, its communicators and its sessions.
template <typename State, typename Visit>
void for_each_buffer_owner(State& me, Visit&& visit) {
  visit(me.template part<SendBuffers>());
  visit(me.world);
  visit(me.self);
  me.comms.for_each(visit);
  me.template part<Sessions>().open.for_each(visit);
}

void pup_buffer(pup::Puper& p, runtime::Rank& owner, std::shared_ptr<SendBuffer>& buffer) {
  bool attached = buffer != nullptr;
  p | attached;
  if (attached) {
    if (p.unpacking()) {
      buffer = std::make_shared<SendBuffer>();
    }
    buffer->pup(p, owner);
  }
}

}  // namespace

void SendBuffers::pup(pup::Puper& p, RankState& me) {
  p | sent;
  for_each_buffer_owner(me, [&](auto& buffer_owner) { pup_buffer(p, *me.rank, buffer_owner.send_buffer); });
}

const char* SendBuffers::pinned(const RankState& me) const {
  const char* why = nullptr;
  for_each_buffer_owner(me, [&](const auto& buffer_owner) {
    why = why == nullptr && buffer_owner.send_buffer != nullptr ? buffer_owner.send_buffer->pinned() : why;
  });
  return why;
}

void flush_buffered_sends(RankState& me) {
  for_each_buffer_owner(me, [&](const auto& buffer_owner) {
    if (buffer_owner.send_buffer != nullptr) {
      buffer_owner.send_buffer->flush(me);
    }
  });
}

namespace {

// `request`: MPI_REQUEST_NULL for a call without one.
int send_buffered(const Entry& entry, const MessageArguments& call, MPI_Request request = MPI_REQUEST_NULL) {
  CheckedMessage checked;
  if (!checked.checks_as_send(entry.me, call)) {
    return refuse_send(entry, call);
  }
  if (request == MPI_REQUEST_NULL) {
    trace_sent(entry.me, call);
  } else {
    trace_start_send(entry.me, call, request);
    trace_request(entry.me, trace::EventKind::end_request, request);
  }
  return start_buffered(entry, checked, call);
}

// The request is complete at once, since the message is in the attached buffer.
int request_buffered(const Entry& entry, const MessageArguments& call, MPI_Request* request) {
  const MPI_Request complete = entry.me.requests.completed_send().handle;
  const int error = send_buffered(entry, call, complete);
  if (error == MPI_SUCCESS) {
    *request = complete;
  }
  return error;
}

}  // namespace

}  // namespace p2p
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/p2p/buffered_send.inc"
