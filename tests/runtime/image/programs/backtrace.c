/* Calls the host three functions deep; the host looks at the stack. */
#include "host.h"

extern void host_look(void* function);

__attribute__((noinline)) int deepest(int n) {
  host_look((void*)deepest);
  return n + 1;
}
__attribute__((noinline)) int middle(int n) { return deepest(n) * 2; }

int main(void) { return middle(3) - 8; }
