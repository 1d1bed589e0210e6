#include "runtime/net/fabric.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/check.hpp"
#include "runtime/net/fabric_buffers.hpp"
#include "runtime/net/fabric_endpoint.hpp"
#include "runtime/net/fabric_library.hpp"
#include "runtime/net/fabric_peer.hpp"
#include "runtime/net/fabric_progress_thread.hpp"
#include "runtime/net/fabric_wire.hpp"

namespace weft::net {
namespace {

// How many batches of 16 completions one poll takes off the queue before it does other work.
constexpr int kTurns = 8;

// Puts the messages of one process back into their order.
struct ReorderBuffer {
  std::uint64_t next = 0;                                 // sequence number of the message to be delivered next
  std::map<std::uint64_t, std::vector<std::byte>> early;  // messages that came before it, by sequence number
};

// A try-lock: one thread polls at a time, and sees what the thread before it did.
struct Polling {
  // Pairs with ~Polling().
  explicit Polling(std::atomic<bool>& flag) : flag_(flag), mine(!flag.exchange(true, std::memory_order_acquire)) {}
  ~Polling() {
    if (mine) {
      // Pairs with the exchange in Polling().
      flag_.store(false, std::memory_order_release);
    }
  }
  Polling(const Polling&) = delete;
  Polling& operator=(const Polling&) = delete;

  std::atomic<bool>& flag_;
  const bool mine;
};

}  // namespace

struct FabricTransport::State {
  State(ProcessId self, Sink& to, FabricOptions with)
      : sink(to), options(std::move(with)), endpoint(options.provider, options.interface) {
    shared.self = self;
    shared.secret = options.secret;
    shared.wake = [](void* watching) { static_cast<FabricProgressThread*>(watching)->wake_up(); };
    shared.progress_thread = &progress_thread;
    readable = options.remote_reads && endpoint.open_memory();
    endpoint.use_arena(buffers.arena());
    for (FabricOperation& receive : buffers.receives()) {
      post_receive(receive);
    }
  }

  FabricPeer& peer(std::uint32_t process) {
    base::check(process < peers.size() && peers[process].connected(), "FabricTransport: process not connected");
    return peers[process];
  }

  bool poll();
  bool complete();
  void post_receive(FabricOperation& receive);
  void completed(const FabricCompletion& completion);
  void received(std::span<const std::byte> wire);
  bool is_of_job(const FabricHead& head, std::size_t bytes) const;
  void deliver(const FabricHead& head, std::span<const std::byte> body);
  void answer(std::uint32_t from, std::span<const std::byte> body);
  void take_answer(std::uint32_t from, std::span<const std::byte> body);
  bool flush();
  void report_losses();

  Sink& sink;
  const FabricOptions options;
  FabricBuffers buffers;  // outlive the endpoint, which writes there
  FabricEndpoint endpoint;
  FabricProgressThread progress_thread;
  FabricShared shared{endpoint, buffers, ProcessId{}};
  bool readable = false;
  // Constant after connect(), its elements aside.
  std::vector<FabricPeer> peers;

  std::atomic<bool> connected = false;
  std::atomic<std::uint64_t> rejected = 0;
  std::atomic<bool> polling = false;
  // Used by the thread that polls.
  std::vector<ReorderBuffer> reorder_buffers;
  std::vector<FabricOperation*> refused_receives;
};

FabricTransport::FabricTransport(ProcessId self, Sink& sink, FabricOptions options)
    : state_(std::make_unique<State>(self, sink, std::move(options))) {}

FabricTransport::~FabricTransport() { stop_progress_thread(); }

void FabricTransport::stop_progress_thread() { state_->progress_thread.stop(); }

std::string FabricTransport::address() const {
  const FabricEndpoint& endpoint = state_->endpoint;
  return FabricAddress{endpoint.provider(), state_->readable, endpoint.key(), endpoint.name()}.bytes();
}

void FabricTransport::connect(const std::vector<std::string>& addresses) {
  State& state = *state_;
  base::check(!state.connected, "FabricTransport::connect: called twice");
  state.peers = std::vector<FabricPeer>(addresses.size());
  state.reorder_buffers.resize(addresses.size());
  for (std::uint32_t process = 0; process < addresses.size(); ++process) {
    if (addresses[process].empty()) {
      continue;
    }
    FabricAddress address = FabricAddress::from(addresses[process]);
    if (address.provider != state.endpoint.provider()) {
      throw std::runtime_error(
          "processes " + std::to_string(number(state.shared.self)) + " and " + std::to_string(process) +
          " use different libfabric providers: " + state.endpoint.provider() + " and " + address.provider);
    }
    address.readable = address.readable && state.options.remote_reads;
    state.peers[process].connect(state.shared, process, address, state.endpoint.insert(address.name));
  }
  state.connected = true;
  state.progress_thread.start(
      {.poll = [&state] { return state.poll(); },
       .ready_to_wait = [&state] { return state.endpoint.ready_to_wait(); },
       .must_poll = [&state] { return state.shared.stalled > 0 || state.shared.unreported > 0; },
       .descriptor = state.endpoint.wait_descriptor()});
}

std::size_t FabricTransport::longest_message() const { return FabricBuffers::kLongest - sizeof(FabricHead); }

void FabricTransport::send(ProcessId to, std::span<const std::byte> head, std::span<const std::byte> body) {
  state_->peer(number(to)).send(FabricKind::message, head, body);
}

void FabricTransport::read(Read& read) { state_->peer(number(read.from)).read(read); }

bool FabricTransport::poll() {
  state_->progress_thread.worker_polls();
  return state_->poll();
}

bool FabricTransport::may_sleep() {
  state_->progress_thread.take_over();
  return true;
}

bool FabricTransport::writes_are_seen() const { return state_->endpoint.provider().starts_with("tcp"); }

bool FabricTransport::is_drained() const {
  return std::all_of(state_->peers.begin(), state_->peers.end(),
                     [](const FabricPeer& peer) { return peer.is_drained(); });
}

std::uint64_t FabricTransport::rejected_messages() const { return state_->rejected.load(std::memory_order_relaxed); }

bool FabricTransport::State::poll() {
  const Polling now(polling);
  if (!connected || !now.mine) {
    return false;
  }
  const bool any = complete();
  const bool sent = shared.stalled > 0 && flush();
  if (shared.unreported > 0) {
    report_losses();
  }
  return any || sent;
}

bool FabricTransport::State::complete() {
  for (auto refused = std::exchange(refused_receives, {}); FabricOperation * receive : refused) {
    post_receive(*receive);
  }
  std::array<FabricCompletion, 16> room;
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::span<FabricCompletion> completions = endpoint.completions(room);
    for (const FabricCompletion& completion : completions) {
      completed(completion);
    }
    if (completions.size() < room.size()) {
      return turn > 0 || !completions.empty();
    }
  }
  return true;
}

void FabricTransport::State::post_receive(FabricOperation& receive) {
  if (endpoint.receive(receive) != 0) {
    refused_receives.push_back(&receive);
  }
}

void FabricTransport::State::completed(const FabricCompletion& completion) {
  FabricOperation& operation = *completion.operation;
  if (operation.kind == FabricOperation::Kind::receive) {
    if (completion.error == 0) {
      received(operation.buffer.first(operation.bytes));
    }
    post_receive(operation);
    return;
  }
  FabricPeer& to = peer(operation.peer);
  if (completion.error != 0) {
    to.lose(completion.error);
  }
  // A piece that failed is not recycled: from a lost peer nothing more is read.
  if (operation.kind == FabricOperation::Kind::send) {
    to.sent(operation);
  } else if (completion.error == 0) {
    to.piece_done(static_cast<FabricPiece&>(operation));
  }
}

bool FabricTransport::State::is_of_job(const FabricHead& head, std::size_t bytes) const {
  return head.from < peers.size() && peers[head.from].connected() &&
         head.auth_code == auth_code_of(options.secret, head, number(shared.self), bytes);
}

// Anybody who reaches the port may send: nothing in a message is used before its authentication code has been checked.
void FabricTransport::State::received(std::span<const std::byte> wire) {
  FabricHead head;
  if (wire.size() >= sizeof(head)) {
    std::memcpy(&head, wire.data(), sizeof(head));
  }
  if (wire.size() < sizeof(head) || !is_of_job(head, wire.size())) {
    rejected.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  ReorderBuffer& buffer = reorder_buffers[head.from];
  if (head.sequence != buffer.next) {
    const bool is_new = head.sequence > buffer.next &&
                        buffer.early.emplace(head.sequence, std::vector(wire.begin(), wire.end())).second;
    rejected.fetch_add(is_new ? 0 : 1, std::memory_order_relaxed);  // a message that comes twice is a replay
    return;
  }
  ++buffer.next;
  deliver(head, wire.subspan(sizeof(head)));
  while (!buffer.early.empty() && buffer.early.begin()->first == buffer.next) {
    const std::vector<std::byte> kept = std::move(buffer.early.extract(buffer.early.begin()).mapped());
    ++buffer.next;
    std::memcpy(&head, kept.data(), sizeof(head));
    deliver(head, std::span(kept).subspan(sizeof(head)));
  }
}

void FabricTransport::State::deliver(const FabricHead& head, std::span<const std::byte> body) {
  switch (head.kind) {
    case FabricKind::message:
      return sink.arrived(ProcessId{head.from}, body);
    case FabricKind::read_request:
      return answer(head.from, body);
    case FabricKind::read_reply:
      return take_answer(head.from, body);
  }
  base::fail("FabricTransport: message of an unknown kind");
}

void FabricTransport::State::answer(std::uint32_t from, std::span<const std::byte> body) {
  FabricReadRequest request;
  base::check(body.size() == sizeof(request), "FabricTransport: request of the wrong size");
  std::memcpy(&request, body.data(), sizeof(request));
  const std::span bytes(reinterpret_cast<const std::byte*>(request.address), request.bytes);
  peer(from).send(FabricKind::read_reply, std::as_bytes(std::span(&request.piece, 1)), bytes);
}

void FabricTransport::State::take_answer(std::uint32_t from, std::span<const std::byte> body) {
  std::uint64_t token = 0;
  base::check(body.size() >= sizeof(token), "FabricTransport: answer of the wrong size");
  std::memcpy(&token, body.data(), sizeof(token));
  auto& piece = *reinterpret_cast<FabricPiece*>(token);
  base::check(body.size() == sizeof(token) + piece.into.size(), "FabricTransport: answer of the wrong size");
  std::memcpy(piece.into.data(), body.data() + sizeof(token), piece.into.size());
  peer(from).piece_done(piece);
}

bool FabricTransport::State::flush() {
  bool any = false;
  for (FabricPeer& each : peers) {
    any = each.flush() || any;
  }
  return any;
}

void FabricTransport::State::report_losses() {
  for (std::uint32_t process = 0; process < peers.size(); ++process) {
    const int error = peers[process].connected() ? peers[process].unreported_loss() : 0;
    if (error != 0 && options.lost) {
      options.lost(ProcessId{process}, fabric_library().strerror(error));
    }
  }
}

}  // namespace weft::net
