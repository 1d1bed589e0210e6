#include "runtime/fiber/fiber.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <boost/context/detail/fcontext.hpp>

#include "base/check.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace weft::runtime {
inline namespace fiber {
namespace ctx = boost::context::detail;
namespace {

// A rank keeps its errno over a switch. errno is at the same offset from the thread pointer in every thread. Access by
// this offset calls no function, and the compiler cannot keep errno's address over a switch, after which the fibre may
// run on another thread.
const std::ptrdiff_t errno_offset = reinterpret_cast<char*>(&errno) - static_cast<char*>(__builtin_thread_pointer());

int thread_errno() {
  int value = 0;
  asm volatile("movl %%fs:(%1), %0" : "=r"(value) : "r"(errno_offset) : "memory");
  return value;
}
void set_thread_errno(int value) { asm volatile("movl %0, %%fs:(%1)" : : "r"(value), "r"(errno_offset) : "memory"); }

// jump_fcontext() without a call instruction. It returns by a jump: a call would leave one entry too many in the
// processor's stack of return addresses, and every return up to the program would be mispredicted.
// REQUIRES -mno-red-zone for this file, since the return address is pushed by hand.
ctx::transfer_t jump(void* target, void* data) {
  void* from = nullptr;
  void* in = nullptr;
  asm volatile(
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "jmp *%[jump_fcontext]\n"
      "1:"
      : "=&a"(from), "=&d"(in), "+D"(target), "+S"(data)
      : [jump_fcontext] "r"(&ctx::jump_fcontext)
      : "rcx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
        "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  return {from, in};
}

}  // namespace

// On the stack of the fibre that is left, while the jump is under way.
struct Fiber::Transfer {
  Fiber* from;
  Fiber* to;
};

struct FiberEntry {
  // The first function on a new stack.
  [[noreturn]] static void start(ctx::transfer_t t) {
    auto& transfer = *static_cast<Fiber::Transfer*>(t.data);
    transfer.from->context_ = t.fctx;
    Fiber::enter(*transfer.to, transfer);
  }
};

void Fiber::enter(Fiber& self, Transfer& transfer) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &transfer.from->stack_bottom_, &transfer.from->stack_bytes_);
#endif
  self.entry_(self, *transfer.from);
  base::fail("a fibre's entry returned");
}

void Fiber::prepare(std::span<std::byte> stack, Entry entry) {
  context_ = ctx::make_fcontext(stack.data() + stack.size(), stack.size(), &FiberEntry::start);
  entry_ = entry;
#if defined(__SANITIZE_ADDRESS__)
  stack_bottom_ = stack.data();
  stack_bytes_ = stack.size();
#endif
#if defined(__SANITIZE_THREAD__)
  if (owns_tsan_) {
    __tsan_destroy_fiber(tsan_);
  }
  tsan_ = __tsan_create_fiber(0);
  owns_tsan_ = true;
#endif
}

Fiber::Saved Fiber::save() {
  Saved saved{.context = std::exchange(context_, nullptr)};
#if defined(__SANITIZE_ADDRESS__)
  saved.stack_bottom = stack_bottom_;
  saved.stack_bytes = stack_bytes_;
#endif
#if defined(__SANITIZE_THREAD__)
  saved.tsan = std::exchange(tsan_, nullptr);
  owns_tsan_ = false;
#endif
  return saved;
}

void Fiber::restore(const Saved& saved) {
  context_ = saved.context;
#if defined(__SANITIZE_ADDRESS__)
  stack_bottom_ = saved.stack_bottom;
  stack_bytes_ = saved.stack_bytes;
#endif
#if defined(__SANITIZE_THREAD__)
  tsan_ = saved.tsan;
  owns_tsan_ = true;
#endif
}

// jump_fcontext() begins with `lea -BYTES(%rsp),%rsp`, on some systems after `endbr64`. BYTES is the size of what it
// saves: the floating-point state, padding, and the six registers; the return address is on the stack already.
std::size_t Fiber::saved_registers() {
  constexpr std::array<unsigned char, 4> kEndbr64{0xf3, 0x0f, 0x1e, 0xfa};
  constexpr std::array<unsigned char, 4> kLeaRsp{0x48, 0x8d, 0x64, 0x24};
  std::array<unsigned char, 9> code{};
  std::memcpy(code.data(), reinterpret_cast<const void*>(&ctx::jump_fcontext), code.size());
  const auto* const begin = std::equal(kEndbr64.begin(), kEndbr64.end(), code.begin()) ? &code[4] : code.data();
  if (!std::equal(kLeaRsp.begin(), kLeaRsp.end(), begin)) {
    return 0;
  }
  return static_cast<std::size_t>(-static_cast<signed char>(begin[4])) - 6 * sizeof(void*);
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
  if (owns_tsan_) {
    __tsan_destroy_fiber(tsan_);
  }
#endif
}

Fiber& Fiber::switch_to(Fiber& next, [[maybe_unused]] bool dying) {
  Transfer out{this, &next};
  const int kept_errno = thread_errno();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(dying ? nullptr : &fake_stack_, next.stack_bottom_, next.stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  if (!owns_tsan_) {
    tsan_ = __tsan_get_current_fiber();
  }
  __tsan_switch_to_fiber(next.tsan_, 0);
#endif
  void* const target = std::exchange(next.context_, nullptr);  // null tells debuggers that the fibre runs
  const ctx::transfer_t back = jump(target, &out);
  const auto& in = *static_cast<Transfer*>(back.data);
  in.from->context_ = back.fctx;
#if defined(__SANITIZE_ADDRESS__)
  // By in.to, not `this`: the rank may have moved to another process meanwhile, where its fibre is another object.
  __sanitizer_finish_switch_fiber(in.to->fake_stack_, &in.from->stack_bottom_, &in.from->stack_bytes_);
#endif
  set_thread_errno(kept_errno);
  return *in.from;
}

}  // namespace fiber
}  // namespace weft::runtime
