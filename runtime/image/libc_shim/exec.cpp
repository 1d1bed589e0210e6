// Calls that replace the process, which belongs to all its ranks. Only a forked child may make them, with its rank's
// environment.
#include <alloca.h>
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "runtime/image/libc_shim/rank_state.hpp"

extern "C" char** environ;

namespace weft::shim {
namespace {

void require_child(const char* call, const char* program) {
  if (getpid() == weft_shim_info.process) {
    fail(
        "%s(\"%s\") was called: it would end the job's other ranks with this process; call fork() first, or "
        "posix_spawn() or system()",
        call, program == nullptr ? "" : program);
  }
}

// Counts the arguments that follow the first, including the null pointer at their end.
size_t count(const char* first, va_list arguments) {
  size_t n = first == nullptr ? 0 : 1;
  while (n != 0 && va_arg(arguments, char*) != nullptr) {
    ++n;
  }
  return n;
}

}  // namespace
}  // namespace weft::shim

// `array`: the arguments from `first` on and a null pointer, in the caller's frame; `rest`: what follows them.
#define WEFT_COLLECT(array, first, rest)                                   \
  va_list counted;                                                         \
  va_start(counted, first);                                                \
  const size_t words = weft::shim::count(first, counted);                  \
  va_end(counted);                                                         \
  auto** array = static_cast<char**>(alloca((words + 1) * sizeof(char*))); \
  array[0] = const_cast<char*>(first);                                     \
  va_list rest;                                                            \
  va_start(rest, first);                                                   \
  for (size_t i = 0; i < words; ++i) {                                     \
    array[i + 1] = va_arg(rest, char*);                                    \
  }

WEFT_RANK_EXPORT int execve(const char* path, char* const argv[], char* const variables[]) noexcept {
  weft::shim::require_child("execve", path);
  return WEFT_OF_PROCESS(execve)(path, argv, variables);
}

WEFT_RANK_EXPORT int execv(const char* path, char* const argv[]) noexcept {
  weft::shim::require_child("execv", path);
  return WEFT_OF_PROCESS(execve)(path, argv, environ);
}

WEFT_RANK_EXPORT int execvp(const char* file, char* const argv[]) noexcept {
  weft::shim::require_child("execvp", file);
  return WEFT_OF_PROCESS(execvpe)(file, argv, environ);
}

WEFT_RANK_EXPORT int execvpe(const char* file, char* const argv[], char* const variables[]) noexcept {
  weft::shim::require_child("execvpe", file);
  return WEFT_OF_PROCESS(execvpe)(file, argv, variables);
}

WEFT_RANK_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  weft::shim::require_child("execl", path);
  WEFT_COLLECT(argv, first, rest)
  va_end(rest);
  return WEFT_OF_PROCESS(execve)(path, argv, environ);
}

WEFT_RANK_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
  weft::shim::require_child("execlp", file);
  WEFT_COLLECT(argv, first, rest)
  va_end(rest);
  return WEFT_OF_PROCESS(execvpe)(file, argv, environ);
}

WEFT_RANK_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  weft::shim::require_child("execle", path);
  WEFT_COLLECT(argv, first, rest)
  char** const variables = va_arg(rest, char**);
  va_end(rest);
  return WEFT_OF_PROCESS(execve)(path, argv, variables);
}

WEFT_RANK_EXPORT int fexecve(int descriptor, char* const argv[], char* const variables[]) noexcept {
  weft::shim::require_child("fexecve", argv[0]);
  return WEFT_OF_PROCESS(fexecve)(descriptor, argv, variables);
}

WEFT_RANK_EXPORT int execveat(int folder, const char* path, char* const argv[], char* const variables[],
                              int flags) noexcept {
  weft::shim::require_child("execveat", path);
  return WEFT_OF_PROCESS(execveat)(folder, path, argv, variables, flags);
}

WEFT_RANK_EXPORT int daemon(int keep_folder, int keep_streams) noexcept {
  if (getpid() == weft_shim_info.process) {
    weft::shim::fail("daemon() was called: it would end the job's other ranks with this process; call fork() first");
  }
  return WEFT_OF_PROCESS(daemon)(keep_folder, keep_streams);
}
