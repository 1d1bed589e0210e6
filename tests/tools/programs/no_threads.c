/* Preloaded: only the first THREADS_ALLOWED threads of a process start, as under a limit of the system. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef int Create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  static atomic_int started;
  const char* const allowed = getenv("THREADS_ALLOWED");
  if (allowed != NULL && atomic_fetch_add(&started, 1) >= atoi(allowed)) {
    return EAGAIN;
  }
  Create* const next = (Create*)dlsym(RTLD_NEXT, "pthread_create");
  return next(thread, attributes, start, argument);
}
