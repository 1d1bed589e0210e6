#include "runtime/net/shared_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "runtime/net/doorbell.hpp"
#include "runtime/net/ring_set.hpp"
#include "runtime/net/segment.hpp"
#include "runtime/net/shared_copy.hpp"

namespace weft::net {
namespace {

// The kind of a record holds its sender too: kind = sender * 4 + Content.
enum class Content : std::uint32_t { message, read_request, read_piece };

struct ReadRequest {
  Read* read = nullptr;  // of the reading process
  const std::byte* address = nullptr;
  std::uint64_t bytes = 0;
};

struct ReadPiece {
  Read* read = nullptr;
  std::uint64_t offset = 0;
};

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

template <typename T>
T value_in(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

struct Waiting {
  std::uint32_t kind = 0;
  std::vector<std::byte> bytes;
};

struct Peer {
  Peer(std::string_view address, ProcessId self) : segment(address), ring(segment.ring_of(self)) {}

  Segment segment;
  RingWriter ring;
  bool kernel_reads = false;  // constant once connected
  // Guarded by mutex: messages that found no room, in order. While there are any, later ones must wait, too.
  std::mutex mutex;
  std::deque<Waiting> waiting;
  std::atomic<bool> has_waiting = false;
  std::atomic<bool> lost = false;
  bool is_lost() const { return lost.load(std::memory_order_relaxed); }
};

// A peer's read of this process's memory which the kernel refuses, so that this process answers it by messages.
struct Answer {
  Peer* to = nullptr;
  ReadRequest request;
  std::uint64_t done = 0;
};

}  // namespace

struct SharedMemory::State {
  State(ProcessId self_id, std::uint32_t processes, Sink& to, const SharedMemoryOptions& with)
      : self(self_id),
        sink(to),
        options(with),
        own(with.ring_bytes, with.workers, with.peers_may_die ? processes : 1),
        rings(own.rings()),
        peers(processes) {}

  Peer& peer(ProcessId process) {
    base::check(number(process) < peers.size() && peers[number(process)] != nullptr,
                "shared memory with a process that was not connected");
    return *peers[number(process)];
  }
  std::uint32_t kind(Content content) const { return number(self) * 4 + static_cast<std::uint32_t>(content); }

  void post(Peer& to, Content content, std::span<const std::byte> head, std::span<const std::byte> body);
  void flush(Peer& to);
  bool flush_all();
  void take(std::uint32_t kind, std::span<const std::byte> message);
  bool answer_reads();
  void take_piece(std::span<const std::byte> message);
  bool copy(Peer& from, const Read& read);

  const ProcessId self;
  Sink& sink;
  const SharedMemoryOptions options;
  Segment own;
  RingSet rings;
  std::vector<std::unique_ptr<Peer>> peers;  // by process; constant once connected
  std::deque<Answer> answers;                // guarded by `polling`

  alignas(64) std::atomic<std::uint64_t> unsent = 0;  // messages in all `waiting`
  std::atomic<std::uint64_t> unread = 0;
  std::atomic<bool> sharing_a_copy = false;   // a thread uses this process's copy offer
  std::atomic<std::uint64_t> unanswered = 0;  // answers.size(), for threads that do not poll
  alignas(64) std::atomic<bool> polling = false;
};

namespace {

bool push(Peer& to, std::uint32_t kind, std::span<const std::byte> head, std::span<const std::byte> body) {
  if (!to.ring.write(kind, head, body)) {
    return false;
  }
  ring_one(to.segment.doorbells());
  return true;
}

}  // namespace

void SharedMemory::State::post(Peer& to, Content content, std::span<const std::byte> head,
                               std::span<const std::byte> body) {
  if (to.is_lost()) [[unlikely]] {
    return;
  }
  // Pairs with the stores in flush() and below. If this says that nothing waits, what waited is already in the ring, so
  // a thread's messages stay in order.
  if (!to.has_waiting.load(std::memory_order_acquire) && push(to, kind(content), head, body)) [[likely]] {
    return;
  }
  const std::lock_guard lock(to.mutex);
  if (to.is_lost()) {  // set before lose() takes the mutex
    return;
  }
  Waiting& last = to.waiting.emplace_back(Waiting{kind(content), {}});
  last.bytes.reserve(head.size() + body.size());
  last.bytes.insert(last.bytes.end(), head.begin(), head.end());
  last.bytes.insert(last.bytes.end(), body.begin(), body.end());
  // Pairs with the loads in post(), flush_all() and may_sleep(), which then lock the peer's mutex.
  to.has_waiting.store(true, std::memory_order_release);
  unsent.fetch_add(1, std::memory_order_relaxed);
  flush(to);
}

// Under the peer's mutex. The caller may have a rank to run next, and all other workers may be asleep: when the reader
// has made room for what is left, it must ring one of their doorbells.
void SharedMemory::State::flush(Peer& to) {
  do {
    while (!to.waiting.empty() && push(to, to.waiting.front().kind, to.waiting.front().bytes, {})) {
      to.waiting.pop_front();
      unsent.fetch_sub(1, std::memory_order_release);  // is_drained() sees it only with the record in the ring
    }
  } while (!to.waiting.empty() && !to.ring.must_wait(to.waiting.front().bytes.size()));
  // Pairs with the look in post(), as said there.
  to.has_waiting.store(!to.waiting.empty(), std::memory_order_release);
}

bool SharedMemory::State::flush_all() {
  const std::uint64_t before = unsent.load(std::memory_order_relaxed);
  for (const std::unique_ptr<Peer>& peer : peers) {
    // Pairs with the store in post(). A load that comes too early costs one poll: post() itself tries to flush.
    if (peer != nullptr && peer->has_waiting.load(std::memory_order_acquire)) {
      const std::lock_guard lock(peer->mutex);
      flush(*peer);
    }
  }
  return unsent.load(std::memory_order_relaxed) < before;
}

void SharedMemory::State::take(std::uint32_t kind, std::span<const std::byte> message) {
  const ProcessId from{kind / 4};
  switch (static_cast<Content>(kind % 4)) {
    case Content::message:
      sink.arrived(from, message);
      return;
    case Content::read_request:
      answers.push_back({&peer(from), value_in<ReadRequest>(message), 0});
      unanswered.fetch_add(1, std::memory_order_relaxed);
      return;
    case Content::read_piece:
      take_piece(message);
      return;
  }
  base::fail("a record of an unknown kind in shared memory");
}

// Pieces may overtake what waits in `waiting`: no order is promised between them, and queued pieces would fill memory.
bool SharedMemory::State::answer_reads() {
  const std::size_t most = options.ring_bytes / 8;
  bool did = false;
  for (std::size_t left = answers.size(); left > 0; --left) {
    Answer answer = answers.front();
    answers.pop_front();
    for (bool room = true; room && answer.done < answer.request.bytes;) {
      const std::size_t bytes = std::min<std::uint64_t>(most, answer.request.bytes - answer.done);
      const bool sent =
          push(*answer.to, kind(Content::read_piece), bytes_of(ReadPiece{answer.request.read, answer.done}),
               {answer.request.address + answer.done, bytes});
      answer.done += sent ? bytes : 0;
      did = did || sent;
      room = sent || !answer.to->ring.must_wait(sizeof(ReadPiece) + bytes);  // as in flush()
    }
    if (answer.done < answer.request.bytes) {
      answers.push_back(answer);
    } else {
      unanswered.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  return did;
}

void SharedMemory::State::take_piece(std::span<const std::byte> message) {
  const auto piece = value_in<ReadPiece>(message);
  const std::span<const std::byte> bytes = message.subspan(sizeof(ReadPiece));
  Read& read = *piece.read;
  std::memcpy(read.into.data() + piece.offset, bytes.data(), bytes.size());
  // Pairs with take_piece() on the threads that polled for the other pieces: all bytes are in place once the last piece
  // is counted.
  if (read.left.fetch_sub(bytes.size(), std::memory_order_acq_rel) == bytes.size()) {
    unread.fetch_sub(1, std::memory_order_release);  // is_drained() sees it only with the bytes in place
    read.finished(read);
  }
}

// Rings a doorbell of the other process only for copies that take longer than waking its worker.
bool SharedMemory::State::copy(Peer& from, const Read& read) {
  constexpr std::size_t kWakingPays = 2 * kSmallestSharedCopy;
  const RemoteSource source{from.segment.owner(), read.address};
  // Locks the copy offer. Pairs with the release at the end of copy().
  if (!options.helped || !read.helped || read.into.size() < kSmallestSharedCopy ||
      sharing_a_copy.exchange(true, std::memory_order_acquire)) {
    return copy_from(source, read.into);
  }
  if (read.into.size() >= kWakingPays) {
    ring_one(from.segment.doorbells());
  }
  const bool whole = copy_shared(own.copy_offer(), from.segment.copy_offer(), self, source, read.into);
  // Pairs with the exchange at the beginning of copy().
  sharing_a_copy.store(false, std::memory_order_release);
  return whole;
}

SharedMemory::SharedMemory(ProcessId self, std::uint32_t processes, Sink& sink, const SharedMemoryOptions& options)
    : state_(std::make_unique<State>(self, processes, sink, options)) {}

SharedMemory::~SharedMemory() = default;

const std::string& SharedMemory::address() const { return state_->own.address(); }

void SharedMemory::connect(ProcessId process, std::string_view address) {
  base::check(number(process) < state_->peers.size(), "a peer that the job does not have");
  auto peer = std::make_unique<Peer>(address, state_->self);
  std::uint64_t key = 0;
  peer->kernel_reads = state_->options.kernel_reads &&
                       copy_from({peer->segment.owner(), reinterpret_cast<const void*>(peer->segment.key_address())},
                                 std::as_writable_bytes(std::span(&key, 1))) &&
                       key == peer->segment.key();
  state_->peers[number(process)] = std::move(peer);
}

bool SharedMemory::reads_by_kernel(ProcessId peer) const { return state_->peer(peer).kernel_reads; }

std::size_t SharedMemory::longest_message() const { return RingView::longest_message(state_->options.ring_bytes); }

void SharedMemory::send(ProcessId to, std::span<const std::byte> head, std::span<const std::byte> body) {
  base::check(head.size() + body.size() <= longest_message(), "a message longer than the transport takes");
  state_->post(state_->peer(to), Content::message, head, body);
}

void SharedMemory::read(Read& read) {
  State& state = *state_;
  Peer& from = state.peer(read.from);
  if (read.into.empty()) {
    read.finished(read);
    return;
  }
  state.unread.fetch_add(1, std::memory_order_relaxed);
  if (!from.kernel_reads) {
    read.left.store(read.into.size(), std::memory_order_relaxed);
    const ReadRequest request{&read, static_cast<const std::byte*>(read.address), read.into.size()};
    state.post(from, Content::read_request, bytes_of(request), {});
    return;
  }
  if (from.is_lost() || !state.copy(from, read)) {
    if (state.options.peers_may_die) {
      read.lost = true;
      state.unread.fetch_sub(1, std::memory_order_release);  // is_drained(), as below
      read.finished(read);
      return;
    }
    // The process is gone: the read never finishes. Whoever waits for it ends with the job.
    base::check(errno == ESRCH,
                std::string("the kernel did not read another process's memory: ") + std::strerror(errno));
    return;
  }
  state.unread.fetch_sub(1, std::memory_order_release);  // is_drained() sees it only with the bytes in place
  read.finished(read);
}

bool SharedMemory::poll() {
  State& state = *state_;
  if (state.rings.looks_empty() && (state.unsent.load(std::memory_order_relaxed) |
                                    state.unanswered.load(std::memory_order_relaxed)) == 0) [[likely]] {
    return false;
  }
  // Locks the reader's side and `answers`. Pairs with the release at the end of poll().
  if (state.polling.load(std::memory_order_relaxed) || state.polling.exchange(true, std::memory_order_acquire)) {
    return false;
  }
  const auto take = [&](std::uint32_t kind, std::span<const std::byte> message) { state.take(kind, message); };
  bool did = state.rings.read(state.options.ring_bytes / 8, take, [&] {
    for (const std::unique_ptr<Peer>& peer : state.peers) {
      if (peer != nullptr) {
        ring_one(peer->segment.doorbells());
      }
    }
  });
  if (state.unsent.load(std::memory_order_relaxed) != 0) {
    did = state.flush_all() || did;
  }
  if (!state.answers.empty()) {
    did = state.answer_reads() || did;
  }
  // Pairs with the exchange in poll().
  state.polling.store(false, std::memory_order_release);
  return did;
}

// Copies piece by piece while no message for this process arrives.
bool SharedMemory::help() {
  State& state = *state_;
  std::atomic<std::uint32_t>& asked_by = state.own.copy_offer().asked_by;
  if (asked_by.load(std::memory_order_relaxed) == 0) [[likely]] {
    return false;
  }
  // Pairs with the store in copy_shared() of the asking process: its copy is described before it asks.
  const std::uint32_t asker = asked_by.exchange(0, std::memory_order_acq_rel);
  if (asker == 0) {
    return false;
  }
  const Segment& segment = state.peer(ProcessId{asker - 1}).segment;
  bool did = false;
  while (help_copy(segment.copy_offer(), state.own.owner(), segment.owner())) {
    did = true;
    if (!state.rings.looks_empty()) {
      std::uint32_t nobody = 0;
      // Pairs with the exchange in help() of the worker of this process that goes on with the copy.
      asked_by.compare_exchange_strong(nobody, asker, std::memory_order_acq_rel);
      break;
    }
  }
  return did;
}

Doorbell* SharedMemory::doorbell(std::uint32_t worker) {
  base::check(worker < state_->own.doorbells().size(), "a worker without a doorbell");
  return &state_->own.doorbells()[worker];
}

// A process whose messages wait for room may sleep: the receiver rings when it has made room. Pairs with post(), which
// sets has_waiting before it looks for room itself, in flush().
bool SharedMemory::may_sleep() {
  State& state = *state_;
  const auto is_lost = [&](std::size_t i) { return state.peers[i] != nullptr && state.peers[i]->is_lost(); };
  if (!state.rings.empty(is_lost) || state.unanswered.load(std::memory_order_relaxed) != 0) {
    return false;
  }
  for (const std::unique_ptr<Peer>& peer : state.peers) {
    if (peer != nullptr && peer->has_waiting.load(std::memory_order_acquire)) {
      const std::lock_guard lock(peer->mutex);
      if (!peer->waiting.empty() && !peer->ring.must_wait(peer->waiting.front().bytes.size())) {
        return false;
      }
    }
  }
  return true;
}

void SharedMemory::lose(ProcessId process) {
  Peer& peer = state_->peer(process);
  peer.lost.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(peer.mutex);
  state_->unsent.fetch_sub(peer.waiting.size(), std::memory_order_release);  // pairs with is_drained()
  peer.waiting.clear();
  // Pairs with the look in post(), as said there.
  peer.has_waiting.store(false, std::memory_order_release);
}

// Pairs with the decrements in flush(), take_piece() and read(): what they report as done is visible to the caller.
bool SharedMemory::is_drained() const {
  return state_->unsent.load(std::memory_order_acquire) == 0 && state_->unread.load(std::memory_order_acquire) == 0;
}

}  // namespace weft::net
