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

// What all peers of a transport use.
struct FabricShared {
  FabricEndpoint& endpoint;
  FabricBuffers& buffers;
  ProcessId self;
  Secret secret = {};
  std::atomic<std::uint32_t> stalled = 0;     // peers that flush() has something to do for
  std::atomic<std::uint32_t> unreported = 0;  // peers lost that have not been reported
  void (*wake)(void* watcher) = nullptr;      // called when a peer stalls
  void* watcher = nullptr;
};

// One part of a Read on its way.
struct FabricPiece : FabricOperation {
  Read* read = nullptr;
  std::span<std::byte> into;
};

// The pieces that a peer's reads use again and again. Guarded by the peer's mutex.
class FabricPieces {
 public:
  FabricPiece& take(std::uint32_t peer);
  void give_back(FabricPiece& piece) { free_.push_back(&piece); }
  std::size_t under_way() const { return all_.size() - free_.size(); }

 private:
  std::deque<FabricPiece> all_;
  std::vector<FabricPiece*> free_;
};

// Any thread may call any function.
class FabricPeer {
 public:
  void connect(FabricShared& shared, std::uint32_t number, const FabricAddress& address, fi_addr_t name);
  bool connected() const { return shared_ != nullptr; }

  // Head and body become one message. What finds no room waits for flush().
  void send(FabricKind kind, std::span<const std::byte> head, std::span<const std::byte> body);
  void read(Read& read);

  // The completion of a send.
  void sent(FabricOperation& operation);
  // The completion of a piece, whose bytes are in place. May call Read::finished.
  void piece_done(FabricPiece& piece);
  // Posts what had found no room; true if any of it went out.
  bool flush();

  // The peer is gone: drops what waits for it, and what comes later.
  void lose(int error);
  // The error, once, of a peer that is lost; else 0.
  int unreported_loss();
  // All sent and all read, or the peer lost.
  bool drained() const;

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
  // At the end of all that posts: whether flush() has something to do, and nothing where the peer is lost.
  void note_stall();

  // Constant after connect().
  FabricShared* shared_ = nullptr;
  std::uint32_t number_ = 0;
  fi_addr_t name_ = FI_ADDR_UNSPEC;
  bool readable_ = false;
  std::uint64_t key_ = 0;
  std::size_t longest_piece_ = 0;
  std::size_t most_pieces_ = 0;  // under way at a time

  std::atomic<std::uint64_t> outstanding_ = 0;  // messages and reads not over
  std::atomic<int> lost_ = 0;                   // the error
  std::atomic<bool> stalled_ = false;

  std::mutex mutex_;  // guards all below
  std::uint64_t sequence_ = 0;
  FabricOperation* staged_ = nullptr;  // the first of those that wait: in a buffer, refused by libfabric
  std::deque<Waiting> waiting_;
  std::uint32_t short_sends_ = 0, long_sends_ = 0;  // buffers that are under way or staged
  std::deque<PendingRead> reads_;                   // not all of it posted
  FabricPieces pieces_;
  bool reported_ = false;
};

}  // namespace weft::net
