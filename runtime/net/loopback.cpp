#include "runtime/net/loopback.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "runtime/net/doorbell.hpp"

namespace weft::net {
namespace {

struct Message {
  std::vector<std::uint64_t> words;
  std::size_t bytes = 0;
  std::uint64_t due = 0;  // number of the poll that may take it

  std::span<const std::byte> view() const { return std::as_bytes(std::span(words)).first(bytes); }
};

Message make_message(std::span<const std::byte> head, std::span<const std::byte> body) {
  Message message;
  message.bytes = head.size() + body.size();
  message.words.resize(message.bytes / 8 + 1);
  auto* const to = reinterpret_cast<std::byte*>(message.words.data());
  std::copy(head.begin(), head.end(), to);
  std::copy(body.begin(), body.end(), to + head.size());
  return message;
}

struct DelayedRead {
  Read* read = nullptr;
  std::uint64_t due = 0;
};

// The receiving side of a process. Guarded by mutex, except the doorbells and `disconnected`.
struct LoopbackProcess {
  LoopbackProcess(std::uint32_t processes, const LoopbackOptions& options, std::uint64_t seed)
      : from(processes), random(seed), most_delay(options.most_delay), doorbells(options.workers) {}

  std::uint64_t draw_due() { return polls + std::uniform_int_distribution<std::uint32_t>(0, most_delay)(random); }

  std::mutex mutex;
  std::vector<std::deque<Message>> from;
  std::vector<DelayedRead> reads;
  std::size_t bytes = 0;
  std::uint64_t polls = 0;
  std::mt19937_64 random;
  const std::uint32_t most_delay;
  std::vector<Doorbell> doorbells;
  std::atomic<bool> disconnected = false;
};

}  // namespace

struct Loopback::State {
  State(std::uint32_t count, const LoopbackOptions& given) : options(given) {
    for (std::uint32_t i = 0; i < count; ++i) {
      processes.push_back(std::make_unique<LoopbackProcess>(count, options, options.seed * 1'000'003 + i));
    }
  }
  LoopbackProcess& process(ProcessId id) {
    base::check(number(id) < processes.size(), "a message to a process that the job does not have");
    return *processes[number(id)];
  }

  const LoopbackOptions options;
  std::vector<std::unique_ptr<LoopbackProcess>> processes;
};

namespace {

class LoopbackTransport final : public Transport {
 public:
  LoopbackTransport(std::shared_ptr<Loopback::State> state, ProcessId self, Sink& sink)
      : state_(std::move(state)),
        self_(self),
        me_(state_->process(self)),
        sink_(sink),
        channels_(state_->processes.size()) {}

  std::size_t longest_message() const override { return state_->options.longest_message; }
  void send(ProcessId to, std::span<const std::byte> head, std::span<const std::byte> body) override;
  void read(Read& read) override;
  bool poll() override;
  Doorbell* doorbell(std::uint32_t worker) override { return &me_.doorbells.at(worker); }
  bool may_sleep() override;
  bool is_drained() const override { return unsent_.load() == 0 && unread_.load() == 0; }

 private:
  // Messages that found no room at their receiver. Guarded by mutex, which is locked before the receiver's.
  struct Channel {
    std::mutex mutex;
    std::deque<Message> waiting;
  };

  bool push(LoopbackProcess& to, Message& message);
  bool flush(ProcessId to);
  bool flush_all();
  std::vector<std::pair<ProcessId, std::deque<Message>>> take_due();
  std::vector<Read*> take_due_reads();
  void finish(Read& read);

  const std::shared_ptr<Loopback::State> state_;
  const ProcessId self_;
  LoopbackProcess& me_;
  Sink& sink_;
  std::vector<Channel> channels_;
  std::atomic<std::uint64_t> unsent_ = 0;
  std::atomic<std::uint64_t> unread_ = 0;
  std::atomic_flag polling_;
};

// False when there is no room.
bool LoopbackTransport::push(LoopbackProcess& to, Message& message) {
  const std::lock_guard lock(to.mutex);
  if (to.disconnected || me_.disconnected) {
    return true;
  }
  if (to.bytes != 0 && to.bytes + message.bytes > state_->options.queue_bytes) {
    return false;
  }
  to.bytes += message.bytes;
  std::deque<Message>& queue = to.from[number(self_)];
  message.due = std::max(to.draw_due(), queue.empty() ? 0 : queue.back().due);
  queue.push_back(std::move(message));
  return true;
}

void LoopbackTransport::send(ProcessId to, std::span<const std::byte> head, std::span<const std::byte> body) {
  base::check(head.size() + body.size() <= longest_message(), "a message longer than the transport takes");
  LoopbackProcess& receiver = state_->process(to);
  Channel& channel = channels_[number(to)];
  {
    Message message = make_message(head, body);
    const std::lock_guard lock(channel.mutex);
    if (!channel.waiting.empty() || !push(receiver, message)) {
      channel.waiting.push_back(std::move(message));
      ++unsent_;
    }
  }
  flush(to);
  ring_one(receiver.doorbells);
  if (unsent_ != 0) {
    ring_one(me_.doorbells);  // the caller may be no worker, and they may all be asleep
  }
}

bool LoopbackTransport::flush(ProcessId to) {
  Channel& channel = channels_[number(to)];
  const std::lock_guard lock(channel.mutex);
  bool moved = false;
  while (!channel.waiting.empty() && push(state_->process(to), channel.waiting.front())) {
    channel.waiting.pop_front();
    --unsent_;
    moved = true;
  }
  return moved;
}

bool LoopbackTransport::flush_all() {
  bool moved = false;
  for (std::uint32_t to = 0; unsent_ != 0 && to < channels_.size(); ++to) {
    if (flush(ProcessId{to})) {
      ring_one(state_->processes[to]->doorbells);
      moved = true;
    }
  }
  return moved;
}

void LoopbackTransport::read(Read& read) {
  ++unread_;
  if (state_->options.most_delay == 0) {
    finish(read);
    return;
  }
  const std::lock_guard lock(me_.mutex);
  me_.reads.push_back({&read, me_.draw_due()});
}

void LoopbackTransport::finish(Read& read) {
  if (state_->process(read.from).disconnected || me_.disconnected) {
    return;
  }
  if (!read.into.empty()) {
    std::memcpy(read.into.data(), read.address, read.into.size());
  }
  --unread_;
  read.finished(read);
}

std::vector<std::pair<ProcessId, std::deque<Message>>> LoopbackTransport::take_due() {
  std::vector<std::pair<ProcessId, std::deque<Message>>> due;
  for (std::uint32_t from = 0; from < me_.from.size(); ++from) {
    std::deque<Message>& queue = me_.from[from];
    std::deque<Message> taken;
    while (!queue.empty() && queue.front().due <= me_.polls) {
      me_.bytes -= queue.front().bytes;
      taken.push_back(std::move(queue.front()));
      queue.pop_front();
    }
    if (!taken.empty()) {
      due.emplace_back(ProcessId{from}, std::move(taken));
    }
  }
  return due;
}

std::vector<Read*> LoopbackTransport::take_due_reads() {
  std::vector<Read*> due;
  std::erase_if(me_.reads, [&](const DelayedRead& late) {
    const bool taken = late.due <= me_.polls;
    if (taken) {
      due.push_back(late.read);
    }
    return taken;
  });
  return due;
}

bool LoopbackTransport::poll() {
  // A try-lock. Pairs with the clear at the end of poll().
  if (polling_.test_and_set(std::memory_order_acquire)) {
    return false;
  }
  bool did = flush_all();
  std::vector<std::pair<ProcessId, std::deque<Message>>> messages;
  std::vector<Read*> reads;
  {
    const std::lock_guard lock(me_.mutex);
    ++me_.polls;
    if (!me_.disconnected) {
      messages = take_due();
      reads = take_due_reads();
      if (me_.most_delay != 0) {
        std::shuffle(messages.begin(), messages.end(), me_.random);
      }
    }
  }
  for (const auto& [from, queue] : messages) {
    for (const Message& message : queue) {
      sink_.arrived(from, message.view());
    }
  }
  for (Read* const read : reads) {
    finish(*read);
  }
  did = did || !messages.empty() || !reads.empty();
  // Pairs with the test in poll().
  polling_.clear(std::memory_order_release);
  return did;
}

bool LoopbackTransport::may_sleep() {
  if (unsent_ != 0) {
    return false;
  }
  const std::lock_guard lock(me_.mutex);
  return me_.reads.empty() &&
         std::all_of(me_.from.begin(), me_.from.end(), [](const auto& queue) { return queue.empty(); });
}

}  // namespace

Loopback::Loopback(std::uint32_t processes, const LoopbackOptions& options)
    : state_(std::make_shared<State>(processes, options)) {}

std::unique_ptr<Transport> Loopback::connect(ProcessId process, Sink& sink) {
  return std::make_unique<LoopbackTransport>(state_, process, sink);
}

void Loopback::disconnect(ProcessId process) {
  LoopbackProcess& gone = state_->process(process);
  const std::lock_guard lock(gone.mutex);
  gone.disconnected = true;
  gone.bytes = 0;
  gone.reads.clear();
  for (std::deque<Message>& queue : gone.from) {
    queue.clear();
  }
}

}  // namespace weft::net
