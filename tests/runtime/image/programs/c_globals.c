/* A C program whose every kind of global variable belongs to the rank. */
#include <getopt.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

int global = 7;
int array[1000];
int* pointer = &global;
const char* names[] = {"a", "b"};
int (*function)(const char*, ...) = printf;
_Thread_local int thread_initialised = 5;
_Thread_local int* thread_pointer = &global;
static _Thread_local int thread_zero;
static int zero;
static jmp_buf mark;
static int failures;

#define CHECK(x)                                                                          \
  do {                                                                                    \
    if (!(x)) {                                                                           \
      failures++;                                                                         \
      fprintf(stderr, "rank %d: line %d: %s does not hold\n", host_rank(), __LINE__, #x); \
    }                                                                                     \
  } while (0)

static int counter(void) {
  static int calls;
  return ++calls;
}

static void at_end(void) { CHECK(global == host_rank() * 10 + 5); }

__attribute__((constructor)) static void construct(void) { zero = 100; }

/* Runs after every atexit function, and its failures count too: the host sees them in the exit code. */
__attribute__((destructor)) static void destruct(void) {
  if (failures != 0 || zero != host_rank() * 2) {
    fprintf(stderr, "rank %d: the destructor saw %d failures\n", host_rank(), failures);
    abort();
  }
}

int main(int argc, char** argv) {
  const int rank = host_rank();
  atexit(at_end);
  CHECK(global == 7 && zero == 100 && thread_initialised == 5 && thread_zero == 0 && *pointer == 7);
  CHECK(thread_pointer == &global && strcmp(names[1], "b") == 0 && function == printf);
  CHECK(argc == 3 && strcmp(argv[1], "-n") == 0 && strcmp(argv[2], "12") == 0 && argv[3] == NULL);
  CHECK(getenv("PATH") != NULL);
  global = rank;
  zero = rank * 2;
  thread_initialised = rank * 3;
  thread_zero = rank * 4;
  for (int i = 0; i < 1000; i++) {
    array[i] = rank + i;
  }
  char* text = malloc(100);
  sprintf(text, "rank %d", rank);
  for (int k = 0; k < 10; k++) {
    host_yield();
    CHECK(counter() == k + 1);
    CHECK(global == rank && zero == rank * 2 && thread_initialised == rank * 3 && thread_zero == rank * 4);
    CHECK(array[999] == rank + 999 && *pointer == rank && *thread_pointer == rank);
  }
  if (setjmp(mark) == 0) {
    longjmp(mark, 3);
  }
  CHECK(fabs(sqrt((double)(rank * rank)) - rank) < 1e-12);
  CHECK(atoi(text + 5) == rank);
  free(text);
  global = rank * 10 + 5;
  return failures;
}
