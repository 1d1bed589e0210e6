// Thread-local variables. On the rank's own stacks they are the rank's, whichever thread runs it; in a thread that the
// rank created they are that thread's.
#include <stdlib.h>

#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/threads.hpp"

#if !defined(__x86_64__)
#error "the shim's thread-local storage knows x86-64 only"
#endif

static_assert(offsetof(WeftShimInfo, slot) == 0 && offsetof(WeftShimInfo, slot_size) == 8);

namespace weft::shim {
namespace {

// The calling thread's block of an image, with its initial values.
char* make_block(const WeftShimImage& image) {
  uint64_t alignment = image.tls_block & -image.tls_block;  // the rank's own block has the alignment that is needed
  alignment = std::min<uint64_t>(std::max<uint64_t>(alignment, 64), 4096);
  char* block = static_cast<char*>(aligned_alloc(alignment, image.tls_memory_size));
  if (block == nullptr) {
    fail("no memory for the thread-local variables of a thread");
  }
  memcpy(block, weft_shim_info.slot + image.tls_template, image.tls_file_size);
  memset(block + image.tls_file_size, 0, image.tls_memory_size - image.tls_file_size);
  return block;
}

}  // namespace
}  // namespace weft::shim

// Where the calling thread, which is not the rank's own, has the variable that lies at `address` in the rank's block.
extern "C" [[gnu::visibility("hidden"), gnu::used]] void* weft_thread_variable(char* address) {
  using namespace weft::shim;
  ThreadState* state = thread_state();
  const auto offset = static_cast<uint64_t>(address - weft_shim_info.slot);
  for (int i = 0; state != nullptr && i < weft_shim_info.image_count; ++i) {
    const WeftShimImage& image = weft_shim_info.images[i];
    if (offset - image.tls_block < image.tls_memory_size) {
      if (state->blocks == nullptr) {
        return address;
      }
      if (state->blocks[i] == nullptr) {
        state->blocks[i] = make_block(image);
      }
      return state->blocks[i] + (offset - image.tls_block);
    }
  }
  fail("thread-local variable at %p: no image of the rank has it", static_cast<void*>(address));
}

// The pair is {address of the rank's block, offset}. The descriptor's second word is the variable's address in the
// rank's block, and the result counts from the thread pointer; its resolver must keep every register but rax. So it
// saves the vector registers by xsave: mask 0xe7 is x87 to AVX-512, for which 4096 bytes suffice, and the 64 bytes of
// header at offset 512 must be zero.
asm(R"(
.text
.globl __tls_get_addr, weft_tlsdesc
.type __tls_get_addr,@function
__tls_get_addr:
  mov %rsp,%rdx
  sub weft_shim_info(%rip),%rdx
  mov (%rdi),%rax
  add 8(%rdi),%rax
  cmp weft_shim_info+8(%rip),%rdx
  jae 1f
  ret
1:
  push %rbp
  mov %rsp,%rbp
  and $-16,%rsp
  mov %rax,%rdi
  call weft_thread_variable
  leave
  ret

.type weft_tlsdesc,@function
weft_tlsdesc:
  push %rdx
  mov %rsp,%rdx
  sub weft_shim_info(%rip),%rdx
  cmp weft_shim_info+8(%rip),%rdx
  jae 2f
  mov 8(%rax),%rax
  sub %fs:0,%rax
  pop %rdx
  ret
2:
  push %rbp
  mov %rsp,%rbp
  push %rcx
  push %rsi
  push %rdi
  push %r8
  push %r9
  push %r10
  push %r11
  mov 8(%rax),%rdi
  sub $4096,%rsp
  and $-64,%rsp
  xor %eax,%eax
  mov %rax,512(%rsp)
  mov %rax,520(%rsp)
  mov %rax,528(%rsp)
  mov %rax,536(%rsp)
  mov %rax,544(%rsp)
  mov %rax,552(%rsp)
  mov %rax,560(%rsp)
  mov %rax,568(%rsp)
  mov $0xe7,%eax
  xor %edx,%edx
  xsave64 (%rsp)
  call weft_thread_variable
  mov %rax,%rcx
  mov $0xe7,%eax
  xor %edx,%edx
  xrstor64 (%rsp)
  mov %rcx,%rax
  sub %fs:0,%rax
  mov -8(%rbp),%rcx
  mov -16(%rbp),%rsi
  mov -24(%rbp),%rdi
  mov -32(%rbp),%r8
  mov -40(%rbp),%r9
  mov -48(%rbp),%r10
  mov -56(%rbp),%r11
  leave
  pop %rdx
  ret
)");
