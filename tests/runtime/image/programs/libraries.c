/* Three ranks of this use a private library, the C library's dlsym and dlopen. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "host.h"

extern int library_variable;
int* library_pointer(void);
int library_calls(void);
int program_variable = 11;

int main(void) {
  library_variable += host_rank();
  program_variable = host_rank();
  for (int i = 1; i <= 3; i++) {
    host_yield();
    if (library_calls() != i || *library_pointer() != 4 + host_rank()) {
      return 1;
    }
  }
  /* The rank's own names, from its own images; others from the host. */
  if (dlsym(RTLD_DEFAULT, "program_variable") != &program_variable) {
    return 2;
  }
  if (dlsym(RTLD_DEFAULT, "library_calls") != (void*)library_calls) {
    return 3;
  }
  if (dlsym(RTLD_DEFAULT, "getpid") == 0 || dlsym(RTLD_NEXT, "getpid") != dlsym(RTLD_DEFAULT, "getpid")) {
    return 4;
  }
  if (dlsym(dlopen(0, RTLD_NOW), "program_variable") != &program_variable) {
    return 6;
  }
  void* handle = dlopen("libm.so.6", RTLD_NOW);
  return handle != 0 && dlsym(handle, "cos") != 0 ? 0 : 5;
}
