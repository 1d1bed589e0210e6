// setjmp and longjmp that store plain addresses: the C library's encrypt them with a secret of its process.
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

#if !defined(__x86_64__)
#error "the shim's setjmp knows x86-64 only"
#endif

static_assert(offsetof(__jmp_buf_tag, __mask_was_saved) == 64 && sizeof(__jmp_buf) == 64);

// setjmp and its like save the registers that calls preserve, and go on with weft_save_signal_mask() if the mask is
// wanted: if %esi, sigsetjmp's second argument, is not 0. weft_jump restores the registers and jumps back.
asm(R"(
.text
.globl setjmp, _setjmp, __sigsetjmp, sigsetjmp
.type setjmp,@function
.type _setjmp,@function
.type __sigsetjmp,@function
.type sigsetjmp,@function
setjmp:
  mov $1,%esi
  jmp __sigsetjmp_here
_setjmp:
  xor %esi,%esi
__sigsetjmp:
sigsetjmp:
__sigsetjmp_here:
  mov %rbx,(%rdi)
  mov %rbp,8(%rdi)
  mov %r12,16(%rdi)
  mov %r13,24(%rdi)
  mov %r14,32(%rdi)
  mov %r15,40(%rdi)
  lea 8(%rsp),%rdx
  mov %rdx,48(%rdi)
  mov (%rsp),%rdx
  mov %rdx,56(%rdi)
  test %esi,%esi
  jnz weft_save_signal_mask
  movl $0,64(%rdi)
  xor %eax,%eax
  ret

.hidden weft_jump
.globl weft_jump
.type weft_jump,@function
weft_jump:
  mov %esi,%eax
  mov (%rdi),%rbx
  mov 8(%rdi),%rbp
  mov 16(%rdi),%r12
  mov 24(%rdi),%r13
  mov 32(%rdi),%r14
  mov 40(%rdi),%r15
  mov 48(%rdi),%rsp
  jmp *56(%rdi)
)");

constexpr int kStackPointer = 6;  // index of the word where setjmp saves it

extern "C" [[noreturn, gnu::visibility("hidden")]] void weft_jump(__jmp_buf_tag* environment, int value);

// Always 0: what setjmp returns the first time.
extern "C" [[gnu::visibility("hidden"), gnu::used]] int weft_save_signal_mask(__jmp_buf_tag* environment, int) {
  environment->__mask_was_saved =
      pthread_sigmask(SIG_BLOCK, nullptr, reinterpret_cast<sigset_t*>(&environment->__saved_mask)) == 0;
  return 0;
}

WEFT_RANK_EXPORT void siglongjmp(sigjmp_buf environment, int value) noexcept {
  weft::shim::leave_signal_handlers(reinterpret_cast<const void*>(environment->__jmpbuf[kStackPointer]));
  if (environment->__mask_was_saved != 0) {
    pthread_sigmask(SIG_SETMASK, reinterpret_cast<sigset_t*>(&environment->__saved_mask), nullptr);
  }
  weft_jump(environment, value == 0 ? 1 : value);
}

WEFT_RANK_EXPORT void longjmp(jmp_buf environment, int value) noexcept { siglongjmp(environment, value); }
WEFT_RANK_EXPORT void _longjmp(jmp_buf environment, int value) noexcept { siglongjmp(environment, value); }
WEFT_RANK_EXPORT [[noreturn]] void __longjmp_chk(jmp_buf environment, int value);
void __longjmp_chk(jmp_buf environment, int value) { siglongjmp(environment, value); }
