#include "runtime/image/openmp_calls.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace weft::image {
namespace {

constexpr std::string_view kPrefix = "__kmpc_";
// Functions whose arguments are the source location, then the thread's number, then others.
constexpr std::array<std::string_view, 107> kCalls = {
    "barrier",
    "barrier_master",
    "barrier_master_nowait",
    "end_barrier_master",
    "cancel",
    "cancel_barrier",
    "cancellationpoint",
    "copyprivate",
    "copyprivate_light",
    "critical",
    "critical_with_hint",
    "end_critical",
    "dispatch_init_4",
    "dispatch_init_4u",
    "dispatch_init_8",
    "dispatch_init_8u",
    "dispatch_next_4",
    "dispatch_next_4u",
    "dispatch_next_8",
    "dispatch_next_8u",
    "dispatch_fini_4",
    "dispatch_fini_4u",
    "dispatch_fini_8",
    "dispatch_fini_8u",
    "dispatch_deinit",
    "dist_dispatch_init_4",
    "dist_dispatch_init_4u",
    "dist_dispatch_init_8",
    "dist_dispatch_init_8u",
    "dist_for_static_init_4",
    "dist_for_static_init_4u",
    "dist_for_static_init_8",
    "dist_for_static_init_8u",
    "doacross_init",
    "doacross_post",
    "doacross_wait",
    "doacross_fini",
    "for_static_init_4",
    "for_static_init_4u",
    "for_static_init_8",
    "for_static_init_8u",
    "for_static_fini",
    "init_lock",
    "init_lock_with_hint",
    "destroy_lock",
    "set_lock",
    "unset_lock",
    "test_lock",
    "init_nest_lock",
    "init_nest_lock_with_hint",
    "destroy_nest_lock",
    "set_nest_lock",
    "unset_nest_lock",
    "test_nest_lock",
    "masked",
    "end_masked",
    "master",
    "end_master",
    "omp_reg_task_with_affinity",
    "omp_task",
    "omp_task_alloc",
    "omp_target_task_alloc",
    "omp_task_begin_if0",
    "omp_task_complete_if0",
    "omp_task_parts",
    "omp_task_with_deps",
    "omp_taskwait",
    "omp_taskwait_deps_51",
    "omp_taskyield",
    "omp_wait_deps",
    "ordered",
    "end_ordered",
    "push_num_teams",
    "push_num_teams_51",
    "push_num_threads",
    "push_num_threads_list",
    "push_num_threads_list_strict",
    "push_num_threads_strict",
    "pop_num_threads",
    "push_proc_bind",
    "set_thread_limit",
    "reduce",
    "reduce_nowait",
    "end_reduce",
    "end_reduce_nowait",
    "scope",
    "end_scope",
    "sections_init",
    "next_section",
    "end_sections",
    "serialized_parallel",
    "end_serialized_parallel",
    "single",
    "end_single",
    "task_reduction_modifier_init",
    "task_reduction_modifier_fini",
    "taskred_modifier_init",
    "taskgroup",
    "end_taskgroup",
    "taskloop",
    "taskloop_5",
    "team_static_init_4",
    "team_static_init_4u",
    "team_static_init_8",
    "team_static_init_8u",
    "threadprivate",
    "threadprivate_cached",
};
// Functions whose first argument is the thread's number.
constexpr std::array<std::string_view, 12> kCallsWithoutPlace = {
    "aligned_alloc",         "alloc",          "calloc",  "destroy_allocator",     "free",
    "get_default_allocator", "init_allocator", "realloc", "set_default_allocator", "task_reduction_get_th_data",
    "task_reduction_init",   "taskred_init",
};
constexpr std::size_t kAll = kCalls.size() + kCallsWithoutPlace.size();
constexpr std::size_t kBytes = 16;  // of code for each: see weft_openmp_forward

}  // namespace
}  // namespace weft::image

extern "C" {
// The library's functions, in the order of both lists; null until a program has asked for them.
[[gnu::used, gnu::visibility("hidden")]] std::array<void*, weft::image::kAll> weft_openmp_real{};
[[gnu::used, gnu::visibility("hidden")]] void* weft_openmp_thread_number = nullptr;
// The code for each of them.
[[gnu::visibility("hidden")]] extern const std::array<std::byte, weft::image::kAll * weft::image::kBytes>
    weft_openmp_forward;
}
static_assert(weft::image::kCalls.size() == 107 && weft::image::kCallsWithoutPlace.size() == 12, "as the .rept below");

// weft_openmp_number puts the number of the calling thread into the second argument, weft_openmp_number_first into the
// first. Both preserve all other arguments; none of them is a floating-point number. Each piece of weft_openmp_forward
// calls one of the two, then jumps to the library's function with the caller's stack unchanged.
asm(R"(
  .pushsection .text
  .macro weft_openmp_number_to name, register, other
  .type \name, @function
\name:
  .cfi_startproc
  push %rax
  .cfi_adjust_cfa_offset 8
  push \other
  .cfi_adjust_cfa_offset 8
  push %rdx
  .cfi_adjust_cfa_offset 8
  push %rcx
  .cfi_adjust_cfa_offset 8
  push %r8
  .cfi_adjust_cfa_offset 8
  push %r9
  .cfi_adjust_cfa_offset 8
  call *weft_openmp_thread_number(%rip)
  mov %eax, \register
  pop %r9
  .cfi_adjust_cfa_offset -8
  pop %r8
  .cfi_adjust_cfa_offset -8
  pop %rcx
  .cfi_adjust_cfa_offset -8
  pop %rdx
  .cfi_adjust_cfa_offset -8
  pop \other
  .cfi_adjust_cfa_offset -8
  pop %rax
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size \name, .-\name
  .endm
  weft_openmp_number_to weft_openmp_number, %esi, %rdi
  weft_openmp_number_to weft_openmp_number_first, %edi, %rsi

  .macro weft_openmp_pieces count, number
  .rept \count
  .balign 16
  call \number
  jmp *weft_openmp_real+8*weft_openmp_call(%rip)
  .set weft_openmp_call, weft_openmp_call+1
  .endr
  .endm
  .globl weft_openmp_forward
  .hidden weft_openmp_forward
  .type weft_openmp_forward, @function
  .balign 16
weft_openmp_forward:
  .cfi_startproc
  .set weft_openmp_call, 0
  weft_openmp_pieces 107, weft_openmp_number
  weft_openmp_pieces 12, weft_openmp_number_first
  .balign 16
  .cfi_endproc
  .size weft_openmp_forward, .-weft_openmp_forward
  .purgem weft_openmp_number_to
  .purgem weft_openmp_pieces
  .popsection
)");

namespace weft::image {

void* with_number_of_thread(const std::string& name) {
  if (!name.starts_with(kPrefix)) {
    return nullptr;
  }
  const std::string_view call = std::string_view(name).substr(kPrefix.size());
  auto which = static_cast<std::size_t>(std::ranges::find(kCalls, call) - kCalls.begin());
  if (which == kCalls.size()) {
    which += static_cast<std::size_t>(std::ranges::find(kCallsWithoutPlace, call) - kCallsWithoutPlace.begin());
  }
  if (which == kAll) {
    return nullptr;
  }
  weft_openmp_thread_number = ::dlsym(RTLD_DEFAULT, "__kmpc_global_thread_num");
  weft_openmp_real.at(which) = ::dlsym(RTLD_DEFAULT, name.c_str());
  const bool is_there = weft_openmp_thread_number != nullptr && weft_openmp_real.at(which) != nullptr;
  return is_there ? const_cast<std::byte*>(&weft_openmp_forward.at(which * kBytes)) : nullptr;
}

}  // namespace weft::image
