// Messages and reads that are under way to and from one other process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/net/fabric_buffers.hpp"
#include "runtime/net/fabric_endpoint.hpp"
#include "runtime/net/fabric_wire.hpp"
#include "runtime/net/transport.hpp"

namespace weft::net {

// What all peers of a transport use. Constant once the transport has been made, except the counters.
struct FabricShared {
  FabricEndpoint& endpoint;
  FabricBuffers& buffers;
  ProcessId self;
  Secret secret = {};
  std::atomic<std::uint32_t> stalled = 0;         // peers that flush() has something to do for
  std::atomic<std::uint32_t> unreported = 0;      // peers lost that have not been reported
  void (*wake)(void* progress_thread) = nullptr;  // called when a peer stalls
  void* progress_thread = nullptr;
};

// One part of a Read that has been posted.
struct FabricPiece : FabricOperation {
  Read* read = nullptr;
  std::span<std::byte> into;
};

// Recycles the pieces of a peer's reads. Guarded by the peer's mutex.
class FabricPieces {
 public:
  FabricPiece& take(std::uint32_t peer);
  void give_back(FabricPiece& piece) { free_.push_back(&piece); }
  std::size_t under_way() const { return all_.size() - free_.size(); }

 private:
  std::deque<FabricPiece> all_;
  std::vector<FabricPiece*> free_;
};

// Once connect() has returned, any thread may call any other function.
class FabricPeer {
 public:
  void connect(FabricShared& shared, std::uint32_t number, const FabricAddress& address, fi_addr_t name);
  bool connected() const { return shared_ != nullptr; }

  // Sends head and body as one message. A message that finds no buffer waits for flush().
  void send(FabricKind kind, std::span<const std::byte> head, std::span<const std::byte> body);
  void read(Read& read);

  // The completion of a send.
  void sent(FabricOperation& operation);
  // The completion of a piece, whose bytes are in place. May call Read::finished.
  void piece_done(FabricPiece& piece);
  // Posts what had found no buffer; true if any of it was posted.
  bool flush();

  // The peer is gone: drops what waits for it, and everything sent later.
  void lose(int error);
  // Returns the error of a lost peer the first time that it is called; else 0.
  int unreported_loss();
  // True when everything has been sent and read, or the peer is lost.
  bool is_drained() const;

 private:
  struct Waiting {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
  };
  struct PendingRead {
    Read* read;
    std::size_t posted;  // bytes
  };

  // All with mutex_ held.
  void send_now(FabricKind kind, std::span<const std::byte> head, std::span<const std::byte> body);
  FabricOperation* take_buffer(std::size_t bytes);
  bool post(FabricOperation& operation);
  bool flush_messages();
  bool post_pieces();
  bool post_piece(FabricPiece& piece, const std::byte* address);
  void give_back(FabricOperation& operation);
  void fail(int error);
  void drop_all();
  // Called at the end of every function that posts. Updates whether flush() has something to do; drops everything where
  // the peer is lost.
  void note_stall();

  // Constant after connect().
  FabricShared* shared_ = nullptr;
  std::uint32_t number_ = 0;
  fi_addr_t name_ = FI_ADDR_UNSPEC;
  bool readable_ = false;
  std::uint64_t key_ = 0;
  std::size_t longest_piece_ = 0;
  std::size_t most_pieces_ = 0;  // posted at the same time

  std::atomic<std::uint64_t> outstanding_ = 0;  // messages and reads that are not complete
  std::atomic<int> lost_ = 0;                   // the error by which it was lost; 0: it is not lost
  std::atomic<bool> stalled_ = false;

  std::mutex mutex_;  // guards all below
  std::uint64_t sequence_ = 0;
  FabricOperation* staged_ = nullptr;  // the first waiting message: it has a buffer, but libfabric refused it
  std::deque<Waiting> waiting_;
  std::uint32_t short_sends_ = 0, long_sends_ = 0;  // buffers that are posted or staged
  std::deque<PendingRead> reads_;                   // reads of which not everything has been posted
  FabricPieces pieces_;
  bool reported_ = false;
};

}  // namespace weft::net
