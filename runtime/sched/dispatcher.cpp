#include "runtime/sched/dispatcher.hpp"

#include "base/check.hpp"

namespace weft::runtime {
inline namespace sched {
namespace {

// See current(). libmpi_abi is loaded with weftrun, never by dlopen(), so that this TLS model is allowed.
[[gnu::tls_model("initial-exec")]] thread_local Dispatcher* this_dispatcher = nullptr;

}  // namespace

// Never inlined: the compiler may keep a thread_local's address over a switch, and the fibre may wake on another
// thread.
[[gnu::noinline]] Dispatcher* Dispatcher::current() {
  asm volatile("" ::: "memory");
  return this_dispatcher;
}

[[gnu::noinline]] void Dispatcher::set_current(Dispatcher* dispatcher) {
  this_dispatcher = dispatcher;
  asm volatile("" ::: "memory");
}

void Dispatcher::set_stack(RankContext& rank, std::span<std::byte> stack) {
  rank.fiber.prepare(stack, &Dispatcher::enter);
}

// The first function on a rank's stack.
void Dispatcher::enter(Fiber& /*self*/, Fiber& /*from*/) {
  Dispatcher& here = *current();
  here.finish_switch();
  here.hooks_.all().start(*here.running_);
  base::fail("a rank's first function has returned");
}

void Dispatcher::make_ready(ExecutionContext& context) {
  context.state = ExecutionContext::State::ready;
  if (context.lock_waiter != nullptr) [[unlikely]] {
    own_lock()->enqueue(*context.lock_waiter);
    return;
  }
  run_queue_.push(context);
}

void Dispatcher::switch_away(ExecutionContext& me, ExecutionContext* next, Fiber& home, bool dying) {
  stop(me);
  clear_running();
  if (next != nullptr) {
    set_running(*next);
  }
  me.fiber.switch_to(next != nullptr ? next->fiber : home, dying);
  current()->finish_switch();
}

}  // namespace sched
}  // namespace weft::runtime
