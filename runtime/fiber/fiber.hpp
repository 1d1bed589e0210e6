// A fibre: a stack and where its execution stopped. Boost.Context and the sanitizers' hooks for fibres are used only
// here and in fiber.cpp.
#pragma once

#include <cstddef>
#include <span>

namespace weft::runtime {
inline namespace fiber {

// A stack and the point at which its execution stopped. A default-constructed Fiber stands for the calling thread's
// own stack. One thread at a time runs it, not always the same one.
class Fiber {
 public:
  using Entry = void (*)(Fiber& self, Fiber& from);  // must never return: it ends in a last switch_to()

  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Gives a Fiber that is default-constructed or dead a stack of its own. The first switch_to() it calls `entry` there.
  void prepare(std::span<std::byte> stack, Entry entry);

  // Switches from this fibre, which must be running, to `next`. Returns when some fibre switches back to this one; the
  // result is that fibre. `dying`: this fibre will not be resumed.
  Fiber& switch_to(Fiber& next, bool dying = false);

  // A suspended fibre as plain data, from which restore() of another Fiber, perhaps in another process, makes that
  // fibre. After save() this Fiber must not be switched to until restore().
  struct Saved {
    void* context = nullptr;
    const void* stack_bottom = nullptr;  // this and the rest are for sanitizers
    std::size_t stack_bytes = 0;
    void* tsan = nullptr;
  };
  Saved save();
  void restore(const Saved& saved);

  // The saved context of a suspended fibre, for debuggers and backtraces. At offset saved_registers() it has r12, r13,
  // r14, r15, rbx, rbp and the address at which the fibre goes on, 8 bytes each; above them is the rest of its stack.
  void* const* saved_context() const { return &context_; }
  // Depends on the version of Boost.Context: 8 with 1.74, 16 with 1.83. 0: unknown version.
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
