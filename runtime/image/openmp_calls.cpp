#include "runtime/image/openmp_calls.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>

// All have the place in the program first, then the thread's number, then whatever they have.
#define WEFT_OPENMP_CALLS(CALL)                                                                                       \
  CALL(barrier) CALL(barrier_master) CALL(barrier_master_nowait) CALL(end_barrier_master)                             \
  CALL(cancel) CALL(cancel_barrier) CALL(cancellationpoint) CALL(copyprivate) CALL(copyprivate_light)                 \
  CALL(critical) CALL(critical_with_hint) CALL(end_critical)                                                          \
  CALL(dispatch_init_4) CALL(dispatch_init_4u) CALL(dispatch_init_8) CALL(dispatch_init_8u)                           \
  CALL(dispatch_next_4) CALL(dispatch_next_4u) CALL(dispatch_next_8) CALL(dispatch_next_8u)                           \
  CALL(dispatch_fini_4) CALL(dispatch_fini_4u) CALL(dispatch_fini_8) CALL(dispatch_fini_8u) CALL(dispatch_deinit)     \
  CALL(dist_dispatch_init_4) CALL(dist_dispatch_init_4u) CALL(dist_dispatch_init_8) CALL(dist_dispatch_init_8u)       \
  CALL(dist_for_static_init_4) CALL(dist_for_static_init_4u)                                                          \
  CALL(dist_for_static_init_8) CALL(dist_for_static_init_8u)                                                          \
  CALL(doacross_init) CALL(doacross_post) CALL(doacross_wait) CALL(doacross_fini)                                     \
  CALL(for_static_init_4) CALL(for_static_init_4u) CALL(for_static_init_8) CALL(for_static_init_8u)                   \
  CALL(for_static_fini)                                                                                               \
  CALL(init_lock) CALL(init_lock_with_hint) CALL(destroy_lock) CALL(set_lock) CALL(unset_lock) CALL(test_lock)        \
  CALL(init_nest_lock) CALL(init_nest_lock_with_hint) CALL(destroy_nest_lock) CALL(set_nest_lock)                     \
  CALL(unset_nest_lock) CALL(test_nest_lock)                                                                          \
  CALL(masked) CALL(end_masked) CALL(master) CALL(end_master)                                                         \
  CALL(omp_reg_task_with_affinity) CALL(omp_task) CALL(omp_task_alloc) CALL(omp_target_task_alloc)                    \
  CALL(omp_task_begin_if0) CALL(omp_task_complete_if0) CALL(omp_task_parts) CALL(omp_task_with_deps)                  \
  CALL(omp_taskwait) CALL(omp_taskwait_deps_51) CALL(omp_taskyield) CALL(omp_wait_deps)                               \
  CALL(ordered) CALL(end_ordered)                                                                                     \
  CALL(push_num_teams) CALL(push_num_teams_51) CALL(push_num_threads) CALL(push_num_threads_list)                     \
  CALL(push_num_threads_list_strict) CALL(push_num_threads_strict) CALL(pop_num_threads) CALL(push_proc_bind)         \
  CALL(set_thread_limit)                                                                                              \
  CALL(reduce) CALL(reduce_nowait) CALL(end_reduce) CALL(end_reduce_nowait)                                           \
  CALL(scope) CALL(end_scope) CALL(sections_init) CALL(next_section) CALL(end_sections)                               \
  CALL(serialized_parallel) CALL(end_serialized_parallel) CALL(single) CALL(end_single)                               \
  CALL(task_reduction_modifier_init) CALL(task_reduction_modifier_fini) CALL(taskred_modifier_init)                   \
  CALL(taskgroup) CALL(end_taskgroup) CALL(taskloop) CALL(taskloop_5)                                                 \
  CALL(team_static_init_4) CALL(team_static_init_4u) CALL(team_static_init_8) CALL(team_static_init_8u)               \
  CALL(threadprivate) CALL(threadprivate_cached)

// Of the library, as far as programs have asked for them.
#define WEFT_OPENMP_REAL(call) [[gnu::visibility("hidden")]] void* weft_openmp_real_##call = nullptr;
extern "C" {
[[gnu::visibility("hidden")]] void* weft_openmp_thread_number = nullptr;
WEFT_OPENMP_CALLS(WEFT_OPENMP_REAL)
}

// Puts the number of the calling thread into the second argument, and leaves all others as they are: none is a
// floating-point number.
asm(R"(
  .pushsection .text
  .type weft_openmp_number, @function
weft_openmp_number:
  .cfi_startproc
  push %rax
  .cfi_adjust_cfa_offset 8
  push %rdi
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
  mov %eax, %esi
  pop %r9
  .cfi_adjust_cfa_offset -8
  pop %r8
  .cfi_adjust_cfa_offset -8
  pop %rcx
  .cfi_adjust_cfa_offset -8
  pop %rdx
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
  pop %rax
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size weft_openmp_number, .-weft_openmp_number
  .popsection
)");

// Calls weft_openmp_number, and goes on in the library's function with the caller's stack as it was.
#define WEFT_OPENMP_FORWARD(call)                                               \
  extern "C" [[gnu::visibility("hidden")]] void weft_openmp_forward_##call();   \
  asm(".pushsection .text\n"                                                    \
      ".globl weft_openmp_forward_" #call "\n"                                  \
      ".hidden weft_openmp_forward_" #call "\n"                                 \
      ".type weft_openmp_forward_" #call ", @function\n"                        \
      "weft_openmp_forward_" #call ":\n"                                        \
      ".cfi_startproc\n"                                                        \
      "call weft_openmp_number\n"                                               \
      "jmp *weft_openmp_real_" #call "(%rip)\n"                                 \
      ".cfi_endproc\n"                                                          \
      ".size weft_openmp_forward_" #call ", .-weft_openmp_forward_" #call "\n"  \
      ".popsection");
WEFT_OPENMP_CALLS(WEFT_OPENMP_FORWARD)

namespace weft::image {
namespace {

struct OpenmpCall {
  const char* name;
  void (*forward)();
  void** real;
};

#define WEFT_OPENMP_ROW(call) OpenmpCall{"__kmpc_" #call, &weft_openmp_forward_##call, &weft_openmp_real_##call},
constexpr std::array kCalls{WEFT_OPENMP_CALLS(WEFT_OPENMP_ROW)};

}  // namespace

void* with_number_of_thread(const std::string& name) {
  const auto* const call = std::ranges::find(kCalls, name, &OpenmpCall::name);
  if (call == kCalls.end()) {
    return nullptr;
  }
  weft_openmp_thread_number = ::dlsym(RTLD_DEFAULT, "__kmpc_global_thread_num");
  *call->real = ::dlsym(RTLD_DEFAULT, call->name);
  const bool is_there = weft_openmp_thread_number != nullptr && *call->real != nullptr;
  return is_there ? reinterpret_cast<void*>(call->forward) : nullptr;
}

}  // namespace weft::image
