// A fibre: a stack and where its execution stopped. Only this file pair uses Boost.Context and the sanitizers' hooks
// for fibres.
#pragma once

#include <cstddef>
#include <span>

namespace weft::runtime {
inline namespace fiber {

// A stack and the point at which its execution stopped. A default-constructed Fiber stands for the calling thread's
// own stack. Run by one thread at a time, not always the same one.
class Fiber {
 public:
  using Entry = void (*)(Fiber& self, Fiber& from);  // must never return: it ends in a last switch_to()

  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Gives a Fiber that is default-constructed or dead a stack of its own; the first switch_to() it calls `entry` there.
  void prepare(std::span<std::byte> stack, Entry entry);

  // Leaves this fibre, which must be the one running, for `next`. Returns when some fibre switches back to this one,
  // and then names that fibre. `dying`: this fibre will not be resumed.
  Fiber& switch_to(Fiber& next, bool dying = false);

  // A suspended fibre as plain data, which another Fiber may go on from; this one then stands for nothing.
  struct Saved {
    void* context = nullptr;
    const void* stack_bottom = nullptr;  // what sanitizers want to know
    std::size_t stack_bytes = 0;
    void* tsan = nullptr;
  };
  Saved save();
  void restore(const Saved& saved);

  // The saved context of a suspended fibre, for debuggers and backtraces. From saved_registers() bytes on it has r12,
  // r13, r14, r15, rbx, rbp and the address at which the fibre goes on, 8 bytes each; its stack goes on behind them.
  void* const* saved_context() const { return &context_; }
  // Differs between versions of Boost.Context: 8 with 1.74, 16 with 1.83. 0: not known.
  static std::size_t saved_registers();

 private:
  struct Transfer;
  [[noreturn]] static void enter(Fiber& self, Transfer& transfer);
  friend struct FiberEntry;

  void* context_ = nullptr;
  Entry entry_ = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  const void* stack_bottom_ = nullptr;
  std::size_t stack_bytes_ = 0;
  void* fake_stack_ = nullptr;
#endif
#if defined(__SANITIZE_THREAD__)
  void* tsan_ = nullptr;
  bool owns_tsan_ = false;
#endif
};

}  // namespace fiber
}  // namespace weft::runtime
