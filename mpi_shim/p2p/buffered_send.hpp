// Buffered sends: messages are copied to the program's attached buffer, or to memory of the MPI layer, and sent from
// there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpi_shim/p2p/point_to_point.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

// A message in the buffer; its packed bytes follow. Linked in the order of addresses in an attached buffer.
struct BufferedMessage {
  runtime::Request request;
  std::size_t bytes = 0;     // with this header and padding
  std::uint64_t number = 0;  // counts the rank's buffered sends
  std::size_t waiters = 0;   // threads that wait for it in flush(); it stays in the buffer for them
  BufferedMessage* next = nullptr;
  BufferedMessage* previous = nullptr;

  std::byte* payload() { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(sizeof(BufferedMessage) + alignof(std::max_align_t) <= MPI_BSEND_OVERHEAD);

// An empty operation of MPI_Buffer_iflush and its like, to unpack one into.
std::unique_ptr<Operation> make_flush();

// A buffer from MPI_Buffer_attach and its like. Owned by its rank, communicator or session.
struct SendBuffer {
  void* base = nullptr;  // as attached; MPI_BUFFER_AUTOMATIC: the MPI layer allocates each message
  std::size_t size = 0;
  BufferedMessage* first = nullptr;

  bool automatic() const { return base == MPI_BUFFER_AUTOMATIC; }
  // A message with room for `payload` packed bytes, linked into the list; null if there is no room.
  BufferedMessage* allocate(std::size_t payload);
  // Frees the room of messages that have been sent.
  void release_sent();
  // Suspends until all messages have been sent.
  void flush(RankState& me);
  // A message with a number below `end` that has not been sent yet, or null.
  BufferedMessage* unsent_before(std::uint64_t end);
  // For a move to another process. An attached buffer is in the program's memory, which moves by itself.
  void pup(pup::Puper& p, runtime::Rank& owner);
  // Why the buffer cannot be packed now, or null.
  const char* pinned() const;

 private:
  void pup_own_memory(pup::Puper& p, runtime::Rank& owner);
  // Constructs a message at `at` and links it behind `after`; null: in front of all others.
  BufferedMessage* link_message(BufferedMessage* after, std::byte* at, std::size_t bytes);
  void release(BufferedMessage& message);
};

// A rank's own buffer. The buffers of its communicators and sessions are packed with it.
struct SendBuffers final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::send_buffers;
  std::shared_ptr<SendBuffer> send_buffer;
  std::uint64_t sent = 0;  // number of buffered sends so far, of all buffers

  void pup(pup::Puper& p, RankState& me) override;
  const char* pinned(const RankState& me) const override;
};

// Packs a checked message into the buffer of its communicator, session or rank, and starts it. MPI_ERR_BUFFER if it
// does not fit.
int start_buffered(const Entry& entry, const CheckedMessage& checked, const MessageArguments& call);
// The same for the start of a persistent request.
int start_buffered(const Entry& entry, MPI_Comm comm, const PreparedMessage& prepared);
// For MPI_Finalize: suspends until all buffered sends are done, of all buffers.
void flush_buffered_sends(RankState& me);

}  // namespace p2p
}  // namespace weft::mpi_shim
