// Attaches, flushes and detaches the buffers of buffered sends: of a rank, a communicator or a session.
#include <utility>

#include "mpi_shim/p2p/buffered_send.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/session/session.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

namespace {

// A rank, communicator or session that may have a buffer. Refers to it by handle: it may have been freed, or have
// another buffer, when buffer() is called again.
struct BufferOwner {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Session session = MPI_SESSION_NULL;  // neither: the rank

  // Null if the handle is not live.
  std::shared_ptr<SendBuffer>* buffer(RankState& me) const {
    if (comm != MPI_COMM_NULL) {
      Communicator* const found = find_comm(me, comm);
      return found == nullptr ? nullptr : &found->send_buffer;
    }
    if (session != MPI_SESSION_NULL) {
      Session* const found = me.part<Sessions>().open.find(session);
      return found == nullptr ? nullptr : &found->send_buffer;
    }
    return &me.part<SendBuffers>().send_buffer;
  }
};

// MPI_Buffer_iflush and its like: complete once all messages have been sent that were in the buffer at the call.
class Flush final : public Operation {
 public:
  Flush() = default;
  Flush(RankState& me, const BufferOwner& buffer_owner)
      : me_(&me), buffer_owner_(buffer_owner), end_(me.part<SendBuffers>().sent) {}
  Kind kind() const override { return Kind::flush; }
  void pup(pup::Puper& p, runtime::Rank& owner) override {
    p | end_;
    pup::same_address(p, buffer_owner_.comm);
    pup::same_address(p, buffer_owner_.session);
    if (p.unpacking()) {
      me_ = static_cast<RankState*>(owner.upper_state);
    }
  }
  bool advance(RankState&) override { return open() == nullptr; }
  void add_awaited(std::vector<runtime::Request*>& awaited) override {
    if (BufferedMessage* const message = open(); message != nullptr) {
      awaited.push_back(&message->request);
    }
  }

 private:
  BufferedMessage* open() const {
    const std::shared_ptr<SendBuffer>* const buffer = buffer_owner_.buffer(*me_);
    return buffer == nullptr || *buffer == nullptr ? nullptr : (*buffer)->unsent_before(end_);
  }

  RankState* me_ = nullptr;
  BufferOwner buffer_owner_;
  std::uint64_t end_ = 0;
};

int raise_no_owner(const Entry& entry, const BufferOwner& buffer_owner) {
  return buffer_owner.comm != MPI_COMM_NULL ? entry.bad_comm(buffer_owner.comm)
                                            : bad_session(entry, buffer_owner.session);
}

int attach(const Entry& entry, const BufferOwner& buffer_owner, void* memory, MPI_Count size) {
  std::shared_ptr<SendBuffer>* const buffer = buffer_owner.buffer(entry.me);
  if (buffer == nullptr) {
    return raise_no_owner(entry, buffer_owner);
  }
  if (*buffer != nullptr) {
    return entry.raise(buffer_owner.comm, MPI_ERR_BUFFER, "a buffer is attached already: detach it first");
  }
  if (size < 0 || (memory == nullptr && size > 0)) {
    return entry.raise(buffer_owner.comm, MPI_ERR_ARG, "the buffer is a null pointer or its size {} is negative", size);
  }
  *buffer = std::make_shared<SendBuffer>();
  (*buffer)->base = memory;
  (*buffer)->size = static_cast<std::size_t>(size);
  return MPI_SUCCESS;
}

template <typename Size>
int detach(const Entry& entry, const BufferOwner& buffer_owner, void* buffer_addr, Size* size) {
  std::shared_ptr<SendBuffer>* const buffer = buffer_owner.buffer(entry.me);
  if (buffer == nullptr) {
    return raise_no_owner(entry, buffer_owner);
  }
  if (*buffer == nullptr) {
    return entry.raise(buffer_owner.comm, MPI_ERR_BUFFER, "no buffer is attached");
  }
  if (!std::in_range<Size>((*buffer)->size)) {
    return entry.raise(buffer_owner.comm, MPI_ERR_VALUE_TOO_LARGE,
                       "the buffer has {} bytes: its size wants the large-count form", (*buffer)->size);
  }
  (*buffer)->flush(entry.me);
  *static_cast<void**>(buffer_addr) = (*buffer)->base;
  *size = static_cast<Size>((*buffer)->size);
  buffer->reset();
  return MPI_SUCCESS;
}

int flush(const Entry& entry, const BufferOwner& buffer_owner) {
  std::shared_ptr<SendBuffer>* const buffer = buffer_owner.buffer(entry.me);
  if (buffer == nullptr) {
    return raise_no_owner(entry, buffer_owner);
  }
  if (*buffer != nullptr) {
    (*buffer)->flush(entry.me);
  }
  return MPI_SUCCESS;
}

int start_flush(const Entry& entry, const BufferOwner& buffer_owner, MPI_Request* request) {
  if (buffer_owner.buffer(entry.me) == nullptr) {
    return raise_no_owner(entry, buffer_owner);
  }
  if (request == nullptr) {
    return entry.null_argument(buffer_owner.comm, "request");
  }
  *request = add_operation(entry.me, buffer_owner.comm, std::make_unique<Flush>(entry.me, buffer_owner));
  return MPI_SUCCESS;
}

// The owner that a call names. A null handle is an error there, but BufferOwner{} is the rank: so it becomes a handle
// that is never live.
BufferOwner of(MPI_Comm comm) { return {.comm = comm == MPI_COMM_NULL ? reinterpret_cast<MPI_Comm>(~0UL) : comm}; }
BufferOwner of(MPI_Session session) {
  return {.session = session == MPI_SESSION_NULL ? reinterpret_cast<MPI_Session>(~0UL) : session};
}

}  // namespace

std::unique_ptr<Operation> make_flush() { return std::make_unique<Flush>(); }

}  // namespace p2p
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/p2p/buffer_calls.inc"
