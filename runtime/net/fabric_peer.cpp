#include "runtime/net/fabric_peer.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.hpp"

namespace weft::net {
namespace {

// A slow process must leave buffers for messages to others.
constexpr std::uint32_t kMostShortSends = 256;
constexpr std::uint32_t kMostLongSends = 64;
// Over TCP two pieces of 1 MiB are as fast as larger or more pieces, and a message waits less than a millisecond behind
// them.
constexpr std::size_t kPiece = 1 << 20;
constexpr std::size_t kPiecesOut = 2;
// Where reads go by messages: a piece is what one reply holds, and so many are asked for at a time.
constexpr std::size_t kAnsweredPiece = FabricBuffers::kLongest - sizeof(FabricHead) - sizeof(std::uint64_t);
constexpr std::size_t kAnsweredPiecesOut = 8;

template <typename Plain>
std::span<const std::byte> as_bytes_of(const Plain& value) {
  return std::as_bytes(std::span(&value, 1));
}

void copy_behind(std::byte*& to, std::span<const std::byte> bytes) {
  if (!bytes.empty()) {
    std::memcpy(to, bytes.data(), bytes.size());
    to += bytes.size();
  }
}

}  // namespace

FabricPiece& FabricPieces::take(std::uint32_t peer) {
  if (free_.empty()) {
    FabricPiece& piece = all_.emplace_back();
    piece.kind = FabricOperation::Kind::read;
    piece.peer = peer;
    return piece;
  }
  FabricPiece* const piece = free_.back();
  free_.pop_back();
  return *piece;
}

void FabricPeer::connect(FabricShared& shared, std::uint32_t number, const FabricAddress& address, fi_addr_t name) {
  number_ = number;
  name_ = name;
  readable_ = address.readable;
  key_ = address.key;
  longest_piece_ = readable_ ? std::min(kPiece, shared.endpoint.longest_read()) : kAnsweredPiece;
  most_pieces_ = readable_ ? kPiecesOut : kAnsweredPiecesOut;
  shared_ = &shared;
}

void FabricPeer::send(FabricKind kind, std::span<const std::byte> head, std::span<const std::byte> body) {
  const std::lock_guard lock(mutex_);
  if (lost_ == 0) {
    send_now(kind, head, body);
    note_stall();
  }
}

void FabricPeer::send_now(FabricKind kind, std::span<const std::byte> head, std::span<const std::byte> body) {
  FabricHead wire{weft::number(shared_->self), kind, sequence_++, 0};
  const std::size_t size = sizeof(wire) + head.size() + body.size();
  base::check(size <= FabricBuffers::kLongest, "FabricTransport::send: message too long");
  wire.auth_code = auth_code_of(shared_->secret, wire, number_, size);
  outstanding_.fetch_add(1);
  FabricOperation* operation = staged_ == nullptr && waiting_.empty() ? take_buffer(size) : nullptr;
  std::byte* to = nullptr;
  if (operation != nullptr) {
    to = operation->buffer.data();
  } else {
    waiting_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    to = waiting_.back().bytes.get();
  }
  copy_behind(to, as_bytes_of(wire));
  copy_behind(to, head);
  copy_behind(to, body);
  if (operation != nullptr && !post(*operation)) {
    staged_ = operation;
  }
}

FabricOperation* FabricPeer::take_buffer(std::size_t bytes) {
  std::uint32_t& used = bytes <= FabricBuffers::kShort ? short_sends_ : long_sends_;
  const std::uint32_t most = bytes <= FabricBuffers::kShort ? kMostShortSends : kMostLongSends;
  FabricOperation* operation = used < most ? shared_->buffers.take(bytes) : nullptr;
  if (operation != nullptr) {
    ++used;
    operation->peer = number_;
    operation->bytes = bytes;
  }
  return operation;
}

void FabricPeer::give_back(FabricOperation& operation) {
  --(operation.buffer.size() <= FabricBuffers::kShort ? short_sends_ : long_sends_);
  shared_->buffers.give(operation);
}

bool FabricPeer::post(FabricOperation& operation) {
  const int result = shared_->endpoint.send(name_, operation);
  if (result == 0) {
    return true;
  }
  if (result != -FI_EAGAIN) {
    fail(-result);
  }
  return false;
}

void FabricPeer::sent(FabricOperation& operation) {
  const std::lock_guard lock(mutex_);
  give_back(operation);
  outstanding_.fetch_sub(1);
}

void FabricPeer::read(Read& read) {
  if (read.into.empty()) {
    read.finished(read);
    return;
  }
  const std::lock_guard lock(mutex_);
  if (lost_ == 0) {
    outstanding_.fetch_add(1);
    read.left = read.into.size();
    reads_.push_back({&read, 0});
    post_pieces();
    note_stall();
  }
}

bool FabricPeer::post_pieces() {
  const std::size_t before = pieces_.under_way();
  while (!reads_.empty() && pieces_.under_way() < most_pieces_ && lost_ == 0) {
    PendingRead& next = reads_.front();
    FabricPiece& piece = pieces_.take(number_);
    const std::size_t left = next.read->into.size() - next.posted;
    piece.read = next.read;
    piece.into = next.read->into.subspan(next.posted, std::min(left, longest_piece_));
    if (!post_piece(piece, static_cast<const std::byte*>(next.read->address) + next.posted)) {
      pieces_.give_back(piece);
      break;
    }
    next.posted += piece.into.size();
    if (piece.into.size() == left) {
      reads_.pop_front();
    }
  }
  return pieces_.under_way() != before;
}

bool FabricPeer::post_piece(FabricPiece& piece, const std::byte* address) {
  if (!readable_) {
    const FabricReadRequest request{reinterpret_cast<std::uint64_t>(&piece), reinterpret_cast<std::uint64_t>(address),
                                    piece.into.size()};
    send_now(FabricKind::read_request, as_bytes_of(request), {});
    return true;
  }
  const int result = shared_->endpoint.read(name_, key_, address, piece.into, piece);
  if (result != 0 && result != -FI_EAGAIN) {
    fail(-result);
  }
  return result == 0;
}

void FabricPeer::piece_done(FabricPiece& piece) {
  Read* read = piece.read;
  const std::size_t bytes = piece.into.size();
  {
    const std::lock_guard lock(mutex_);
    pieces_.give_back(piece);
    post_pieces();
    note_stall();
  }
  if (read->left.fetch_sub(bytes) == bytes) {
    read->finished(*read);
    outstanding_.fetch_sub(1);
  }
}

bool FabricPeer::flush() {
  if (!stalled_) {
    return false;
  }
  const std::lock_guard lock(mutex_);
  const bool sent = flush_messages();
  const bool read = post_pieces();
  note_stall();
  return sent || read;
}

bool FabricPeer::flush_messages() {
  bool any = false;
  while (staged_ != nullptr || !waiting_.empty()) {
    if (staged_ == nullptr) {
      staged_ = take_buffer(waiting_.front().size);
      if (staged_ == nullptr) {
        break;
      }
      std::memcpy(staged_->buffer.data(), waiting_.front().bytes.get(), waiting_.front().size);
      waiting_.pop_front();
    }
    if (!post(*staged_)) {
      break;
    }
    staged_ = nullptr;
    any = true;
  }
  return any;
}

void FabricPeer::note_stall() {
  if (lost_ != 0) {
    drop_all();
  }
  const bool stalls =
      staged_ != nullptr || !waiting_.empty() || (!reads_.empty() && pieces_.under_way() < most_pieces_);
  if (stalls == stalled_) {
    return;
  }
  stalled_ = stalls;
  if (stalls) {
    shared_->stalled.fetch_add(1);
    shared_->wake(shared_->progress_thread);
  } else {
    shared_->stalled.fetch_sub(1);
  }
}

void FabricPeer::lose(int error) {
  const std::lock_guard lock(mutex_);
  fail(error);
  note_stall();
}

void FabricPeer::fail(int error) {
  if (lost_ != 0) {
    return;
  }
  lost_ = error;
  shared_->unreported.fetch_add(1);
}

void FabricPeer::drop_all() {
  if (staged_ != nullptr) {
    give_back(*std::exchange(staged_, nullptr));
  }
  waiting_.clear();
  reads_.clear();
}

int FabricPeer::unreported_loss() {
  const std::lock_guard lock(mutex_);
  if (lost_ == 0 || std::exchange(reported_, true)) {
    return 0;
  }
  shared_->unreported.fetch_sub(1);
  return lost_;
}

bool FabricPeer::is_drained() const { return outstanding_ == 0 || lost_ != 0; }

}  // namespace weft::net
