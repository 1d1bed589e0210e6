/* Opens the plugins that were loaded for it; each rank has its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "host.h"

int program_variable;

typedef int Call(void);

static Call* call_of(void* plugin) { return plugin == 0 ? 0 : (Call*)dlsym(plugin, "plugin_call"); }

int main(void) {
  program_variable = host_rank();
  char first[512];
  snprintf(first, sizeof first, "%s/plugin_1.so", PLUGIN_FOLDER);
  void* one = dlopen(first, RTLD_NOW | RTLD_LOCAL);
  void* two = dlopen("plugin_2.so", RTLD_LAZY);
  Call *call_one = call_of(one), *call_two = call_of(two);
  if (call_one == 0 || call_two == 0 || one == two) {
    return 1;
  }
  for (int i = 1; i <= 3; i++) {
    host_yield();
    if (call_one() != 100 + 10 * host_rank() + i || call_two() != 200 + 10 * host_rank() + i) {
      return 2;
    }
  }
  if (dlopen(first, RTLD_NOW | RTLD_NOLOAD) != one || dlclose(one) != 0 || call_one() != 104 + 10 * host_rank()) {
    return 3;
  }
  /* A plugin's names are nobody else's. */
  if (dlsym(RTLD_DEFAULT, "plugin_call") != 0 || dlsym(one, "no_such_function") != 0) {
    return 4;
  }
  const char* error = dlerror();
  if (error == 0 || strstr(error, "plugin_1.so: undefined symbol: no_such_function") == 0 || dlerror() != 0) {
    return 5;
  }
  return 0;
}
