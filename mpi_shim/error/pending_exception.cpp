#include "mpi_shim/error/pending_exception.hpp"

#include <unwind.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include "runtime/job/job.hpp"
#include "runtime/sched/thread_calls.hpp"
#include "runtime/sched/worker.hpp"

// _Unwind_Exception* weft_call_catching(void (*function)(void*), void* argument): calls the function, and returns null
// or the exception that left it. In assembly because only a frame with its own personality routine can stop an
// exception without a C++ catch, which would use the process's C++ library and not the rank's.
asm(R"(
  .text
  .p2align 4
  .hidden weft_call_catching
  .globl weft_call_catching
  .type weft_call_catching, @function
weft_call_catching:
  .cfi_startproc
  .cfi_personality 0x1b, weft_catch_personality
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset 6, -16
  movq %rdi, %rax
  movq %rsi, %rdi
  call *%rax
  xorl %eax, %eax
  .hidden weft_call_caught
  .globl weft_call_caught
weft_call_caught:
  popq %rbp
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
  .size weft_call_catching, . - weft_call_catching
)");

extern "C" {
_Unwind_Exception* weft_call_catching(void (*function)(void*), void* argument);
[[gnu::visibility("hidden")]] extern const char weft_call_caught[];

// In the search phase it lets the unwinder continue, so that an exception without a handler ends the rank where it was
// thrown. In the cleanup phase weft_call_catching() returns with the exception. Forced unwinding, of threads that are
// cancelled or exit, continues.
[[gnu::visibility("hidden"), gnu::used]] _Unwind_Reason_Code weft_catch_personality(
    int version, _Unwind_Action actions, _Unwind_Exception_Class /*its_class*/, _Unwind_Exception* exception,
    _Unwind_Context* context) {
  if (version != 1) {
    return _URC_FATAL_PHASE1_ERROR;
  }
  if ((actions & _UA_SEARCH_PHASE) != 0 || (actions & _UA_FORCE_UNWIND) != 0) {
    return _URC_CONTINUE_UNWIND;
  }
  _Unwind_SetGR(context, __builtin_eh_return_data_regno(0), reinterpret_cast<_Unwind_Word>(exception));
  _Unwind_SetIP(context, reinterpret_cast<_Unwind_Ptr>(weft_call_caught));
  return _URC_INSTALL_CONTEXT;
}
}

namespace weft::mpi_shim {
inline namespace error {
namespace {

const void* calling_context() { return runtime::Worker::current()->context(); }

// Clears AddressSanitizer's shadow of the frames below this one, which an exception has unwound: later calls have their
// frames there. The rank's private C++ library does not do that when it throws.
void forget_frames_below([[maybe_unused]] const void* frame) {
#if defined(__SANITIZE_ADDRESS__)
  constexpr std::size_t kDeepest = std::size_t{256} << 10;  // bytes
  __asan_unpoison_memory_region(static_cast<const std::byte*>(frame) - kDeepest, kDeepest);
#endif
}

}  // namespace

_Unwind_Exception* PendingException::call(void (*function)(void*), void* argument) {
  _Unwind_Exception* const exception = weft_call_catching(function, argument);
  if (exception != nullptr) {
    forget_frames_below(__builtin_frame_address(0));
  }
  return exception;
}

bool PendingException::keep(_Unwind_Exception* exception) {
  if (exception != nullptr && exception_ == nullptr) {
    exception_ = exception;
    context_ = calling_context();
  }
  return exception == nullptr;
}

void PendingException::take(PendingException& other) {
  if (exception_ == nullptr && other.exception_ != nullptr) {
    exception_ = std::exchange(other.exception_, nullptr);
    context_ = calling_context();
  }
}

void PendingException::raise() {
  if (context_ != calling_context()) {
    return;
  }
  _Unwind_RaiseException(std::exchange(exception_, nullptr));
  const runtime::Rank& rank = *runtime::current_rank();
  rank.job.abort(1, fmt::format("rank {}: an exception that left a callback function of the program was kept for this "
                                "call, {}, and nothing here catches it",
                                rank.world == nullptr ? number(rank.id) : rank.rank_in_world, rank.call));
}

}  // namespace error
}  // namespace weft::mpi_shim
