#include "launch/frame_walk.hpp"

#include <setjmp.h>
#include <unwind.h>

#include <cstring>

#include "runtime/fiber/fiber.hpp"

namespace weft::launch {

extern "C" {
// Calls `function` with `argument`. The unwinder takes the stopped execution for the caller of this function: the
// frame's description says that each register is saved in StoppedRegisters::words, which %rbx points to.
[[gnu::visibility("hidden")]] void weft_walk_from(const std::uint64_t* words, void (*function)(void*), void* argument);
[[gnu::visibility("hidden")]] extern const char weft_walk_from_end;
}
// DW_CFA_def_cfa_expression: *(%rbx + 56). DW_CFA_expression for the other registers: %rbx + 8 * number. The frame
// counts as a signal frame: the address is that of an instruction, not the one behind a call.
asm(R"(
.text
.hidden weft_walk_from
.globl weft_walk_from
.type weft_walk_from,@function
weft_walk_from:
  .cfi_startproc
  .cfi_signal_frame
  push %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  mov %rdi,%rbx
  mov %rdx,%rdi
  .cfi_remember_state
  .cfi_escape 0x0f,3,0x73,0x38,0x06
  .cfi_escape 0x10,0,2,0x73,0x00
  .cfi_escape 0x10,1,2,0x73,0x08
  .cfi_escape 0x10,2,2,0x73,0x10
  .cfi_escape 0x10,3,2,0x73,0x18
  .cfi_escape 0x10,4,2,0x73,0x20
  .cfi_escape 0x10,5,2,0x73,0x28
  .cfi_escape 0x10,6,2,0x73,0x30
  .cfi_escape 0x10,8,3,0x73,0xc0,0x00
  .cfi_escape 0x10,9,3,0x73,0xc8,0x00
  .cfi_escape 0x10,10,3,0x73,0xd0,0x00
  .cfi_escape 0x10,11,3,0x73,0xd8,0x00
  .cfi_escape 0x10,12,3,0x73,0xe0,0x00
  .cfi_escape 0x10,13,3,0x73,0xe8,0x00
  .cfi_escape 0x10,14,3,0x73,0xf0,0x00
  .cfi_escape 0x10,15,3,0x73,0xf8,0x00
  .cfi_escape 0x10,16,3,0x73,0x80,0x01
  call *%rsi
  .cfi_restore_state
  pop %rbx
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
.hidden weft_walk_from_end
.globl weft_walk_from_end
weft_walk_from_end:
.size weft_walk_from,.-weft_walk_from
)");

namespace {

struct StoppedWalk {
  const StoppedRegisters* from;
  std::span<std::uint64_t> addresses;
  std::size_t count = 0;
  bool begun = false;  // the frames before that are those of the walk itself
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<StoppedWalk*>(argument);
  int is_exact = 0;
  const std::uint64_t address = _Unwind_GetIPInfo(context, &is_exact);
  if (!walk.begun) {
    walk.begun = address >= reinterpret_cast<std::uint64_t>(&weft_walk_from) &&
                 address < reinterpret_cast<std::uint64_t>(&weft_walk_from_end);
    return _URC_NO_REASON;
  }
  if (address == 0) {
    return _URC_END_OF_STACK;
  }
  walk.addresses[walk.count++] = is_exact != 0 ? address : address - 1;
  return walk.count < walk.addresses.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void walk_here(void* argument) { _Unwind_Backtrace(&note_frame, argument); }

void walk_from(void* argument) {
  const auto& walk = *static_cast<StoppedWalk*>(argument);
  weft_walk_from(walk.from->words.data(), &walk_here, argument);
}

// Where the thread continues if its walk over frames reads memory that is not there; null outside of such a walk.
thread_local sigjmp_buf* volatile walk_end = nullptr;

}  // namespace

StoppedRegisters StoppedRegisters::of(const ucontext_t& interrupted) {
  constexpr std::array kNumbers{REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  StoppedRegisters registers;
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    registers.words[i] = static_cast<std::uint64_t>(interrupted.uc_mcontext.gregs[kNumbers[i]]);
  }
  return registers;
}

StoppedRegisters StoppedRegisters::of_fiber(const void* saved_context) {
  constexpr std::array<std::size_t, 7> kNumbers{12, 13, 14, 15, 3, 6, kInstruction};
  StoppedRegisters registers;
  const std::size_t offset = runtime::Fiber::saved_registers();
  if (offset == 0) {
    return registers;
  }
  const auto* const saved = static_cast<const std::byte*>(saved_context) + offset;
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    std::memcpy(&registers.words[kNumbers[i]], saved + 8 * i, 8);
  }
  registers.words[kStackPointer] = reinterpret_cast<std::uint64_t>(saved) + 8 * kNumbers.size();
  return registers;
}

std::size_t walk_frames(const StoppedRegisters& from, std::span<std::uint64_t> addresses) {
  StoppedWalk walk{.from = &from, .addresses = addresses};
  if (!addresses.empty()) {
    run_catching_faults(&walk_from, &walk);
  }
  return walk.count;
}

bool run_catching_faults(void (*function)(void* argument), void* argument) {
  sigjmp_buf end;
  volatile bool survived = false;
  if (sigsetjmp(end, 1) == 0) {
    walk_end = &end;
    function(argument);
    survived = true;
  }
  walk_end = nullptr;
  return survived;
}

void resume_after_fault() {
  if (walk_end != nullptr) {
    siglongjmp(*walk_end, 1);
  }
}

}  // namespace weft::launch
