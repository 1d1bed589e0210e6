/* One interpreter per rank. */
#include <stdio.h>

#include "host.h"

void Py_InitializeEx(int);
int PyRun_SimpleString(const char*);
int Py_FinalizeEx(void);

int main(void) {
  char text[200];
  Py_InitializeEx(0);
  snprintf(text, sizeof text, "x = [i * %d for i in range(1000)]\ns = sum(x)\nclass A: v = %d\n", host_rank(),
           host_rank());
  int failed = PyRun_SimpleString(text);
  host_yield();
  failed |= PyRun_SimpleString(
      "assert s == A.v * 499500\ntry:\n  raise KeyError(1)\nexcept KeyError:\n  s = -1\nassert s == -1\n");
  host_yield();
  return failed | Py_FinalizeEx();
}
