// Base of a part of the runtime that handles control messages: its lock, and the messages that it sends to itself.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/ids.hpp"
#include "runtime/control/control_message.hpp"

namespace weft::runtime {
inline namespace control {

// A message that a handler sends to its own part in its own process waits in a queue until the handler has returned.
// Then the same thread handles it, before it releases the lock. So no handler is ever entered from within itself, and
// no other thread sees the part between a message and those that it leads to here.
class ControlHandler {
 public:
  explicit ControlHandler(ProcessId self) : self_(self) {}
  virtual ~ControlHandler() = default;
  ControlHandler(const ControlHandler&) = delete;
  ControlHandler& operator=(const ControlHandler&) = delete;

  // Holds the part's lock. The thread must not suspend a rank meanwhile, nor make a second Guard.
  class Guard {
   public:
    explicit Guard(ControlHandler& part);
    ~Guard();  // handles the waiting messages
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    ControlHandler& part_;
  };

  // On the thread that polled, or that sent the message to its own process. `body` is valid until the call returns.
  void receive(ProcessId from, ControlKind kind, const ControlBody& body);
  // The same for a message from this process, which is never packed.
  template <typename Message>
  void receive_from_self(Message message) {
    if (is_held_by_this_thread()) {
      base::check(!RawControlMessage<Message>, "bytes that nobody keeps would wait");
      waiting_.push_back(std::make_unique<WaitingMessage<Message>>(std::move(message)));
    } else {
      receive(self_, Message::kKind, ControlBody::of(&message));
    }
  }

 protected:
  // Under the part's lock. Must not block.
  virtual void on_control(ProcessId from, ControlKind kind, const ControlBody& body) = 0;

 private:
  struct Waiting {
    explicit Waiting(ControlKind its_kind) : kind(its_kind) {}
    virtual ~Waiting() = default;
    virtual ControlBody body() = 0;
    const ControlKind kind;
  };
  template <typename Message>
  struct WaitingMessage final : Waiting {
    explicit WaitingMessage(Message its_message) : Waiting(Message::kKind), message(std::move(its_message)) {}
    ControlBody body() override { return ControlBody::of(&message); }
    Message message;
  };

  bool is_held_by_this_thread() const;

  const ProcessId self_;
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_;            // the thread that has mutex_; a thread only compares it with itself
  std::vector<std::unique_ptr<Waiting>> waiting_;  // guarded by mutex_
};

}  // namespace control
}  // namespace weft::runtime
