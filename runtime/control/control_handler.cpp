#include "runtime/control/control_handler.hpp"

namespace weft::runtime {
inline namespace control {
namespace {

// Not inlined: a fibre may call this on another thread than the last time, and the compiler assumes that the thread's
// id does not change within a function.
[[gnu::noinline]] std::thread::id this_thread() { return std::this_thread::get_id(); }

}  // namespace

ControlHandler::Guard::Guard(ControlHandler& part) : part_(part) {
  part.mutex_.lock();
  part.holder_.store(this_thread(), std::memory_order_relaxed);
}

ControlHandler::Guard::~Guard() {
  // By index, since handlers append to the vector.
  for (std::size_t i = 0; i < part_.waiting_.size(); ++i) {
    const std::unique_ptr<Waiting> message = std::move(part_.waiting_[i]);
    part_.on_control(part_.self_, message->kind, message->body());
  }
  part_.waiting_.clear();
  part_.holder_.store({}, std::memory_order_relaxed);
  part_.mutex_.unlock();
}

// Relaxed: only the thread itself writes its own id.
bool ControlHandler::is_held_by_this_thread() const { return holder_.load(std::memory_order_relaxed) == this_thread(); }

void ControlHandler::receive(ProcessId from, ControlKind kind, const ControlBody& body) {
  const Guard guard(*this);
  on_control(from, kind, body);
}

}  // namespace control
}  // namespace weft::runtime
