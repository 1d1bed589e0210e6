/* In place of OpenMP's library: threads have numbers, and a call must come with that of its own. */
#include <stdarg.h>
#include <stdatomic.h>

/* NOLINTBEGIN(readability-identifier-naming): the library's names */
int __kmpc_global_thread_num(const void* place) {
  static atomic_int last;
  static _Thread_local int mine;
  (void)place;
  if (mine == 0) {
    mine = 1 + atomic_fetch_add(&last, 1);
  }
  return mine;
}

int __kmpc_push_num_threads(const void* place, int number, int threads) {
  return number == __kmpc_global_thread_num(place) && threads == 3;
}

int __kmpc_taskred_init(int number, int count, void* data) {
  return number == __kmpc_global_thread_num(0) && count == 3 && data == (void*)4;
}

/* Whether the number is right, and the arguments behind it: 1 to 9. */
int __kmpc_omp_taskwait_deps_51(const void* place, int number, ...) {
  va_list arguments;
  va_start(arguments, number);
  int right = number == __kmpc_global_thread_num(place);
  for (int i = 1; i <= 9; ++i) {
    right &= va_arg(arguments, int) == i;
  }
  va_end(arguments);
  return right;
}
/* NOLINTEND(readability-identifier-naming) */
