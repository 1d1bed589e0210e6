// Buffered sends: messages are copied to a buffer of the program, or to memory of our own, and sent from there.
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
  std::uint64_t number = 0;  // among all that the rank has sent
  BufferedMessage* next = nullptr;
  BufferedMessage* previous = nullptr;

  std::byte* payload() { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(sizeof(BufferedMessage) + alignof(std::max_align_t) <= MPI_BSEND_OVERHEAD);

// An MPI_Buffer_iflush or its kind to be unpacked.
std::unique_ptr<Operation> make_flush();

// What MPI_Buffer_attach and its kind gave. Owned by its rank, communicator or session.
struct SendBuffer {
  void* base = nullptr;  // as attached; MPI_BUFFER_AUTOMATIC for memory of our own
  std::size_t size = 0;
  BufferedMessage* first = nullptr;

  bool automatic() const { return base == MPI_BUFFER_AUTOMATIC; }
  // Room for a message of so many packed bytes, linked in; null when there is none.
  BufferedMessage* take(std::size_t payload);
  // Gives back the room of messages that were sent.
  void reap();
  // Waits until all messages are sent.
  void flush(RankState& me);
  // A message before number `end` that is not sent yet, or null.
  BufferedMessage* open_before(std::uint64_t end);
  // On a move to another process. Memory of the program's has come there already, or comes by itself.
  void pup(pup::Puper& p, runtime::Rank& owner);
  // Why that cannot be now, or null.
  const char* pinned() const;

 private:
  void pup_own_memory(pup::Puper& p, runtime::Rank& owner);
  BufferedMessage* place(BufferedMessage* after, std::byte* at, std::size_t bytes);
  void give_back(BufferedMessage& message);
};

// A rank's part of the state: its own buffer. Those of communicators and sessions are packed with it.
struct SendBuffers final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::send_buffers;
  std::shared_ptr<SendBuffer> send_buffer;
  std::uint64_t sent = 0;  // messages so far, in whatever buffer

  void pup(pup::Puper& p, RankState& me) override;
  const char* pinned(const RankState& me) const override;
};

// Packs a checked message into the buffer that serves its communicator and starts it; MPI_ERR_BUFFER when it does not
// fit.
int start_buffered(const Entry& entry, const CheckedMessage& checked, const MessageArguments& call);
// The same for the start of a persistent request.
int start_buffered(const Entry& entry, MPI_Comm comm, const Starter& starter);
// What MPI_Finalize does: waits for buffered sends, in whatever buffer.
void flush_buffered_sends(RankState& me);

}  // namespace p2p
}  // namespace weft::mpi_shim
