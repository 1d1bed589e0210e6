// Descriptors, directories and compiled patterns: they belong to the process, and are noted as held by the rank.
// Descriptors of regular files get the rank's own numbers.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "runtime/image/libc_shim/file_numbers.hpp"
#include "runtime/image/libc_shim/held_resources.hpp"
#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/streams.hpp"

namespace weft::shim {
namespace {

// Both ends of a pipe or socket pair.
int hold_pair(int result, const int ends[2], const char* name) {
  if (result == 0) {
    hold_descriptor(ends[0], name);
    hold_descriptor(ends[1], name);
  }
  return result;
}

mode_t mode_argument(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

// True if another rank or the process uses the descriptor: dup2() would close it.
bool is_taken_by_others(int descriptor) {
  return resource_of(descriptor) == nullptr && WEFT_OF_PROCESS(fcntl)(descriptor, F_GETFD) >= 0;
}

// dup2 onto a standard descriptor redirects the rank's stream, not the process's. A forked child has descriptors of its
// own.
int duplicate(int from, int to, int flags) {
  if (is_forked_child()) {
    return WEFT_OF_PROCESS(dup3)(from, to, flags);
  }
  if (is_standard(to)) {
    if (from == to) {
      return to;
    }
    if (is_standard(from) && real_descriptor(from) == from) {
      restore(to, descriptor_of_job(from));
      return to;
    }
    const int copy =
        hold_duplicate(WEFT_OF_PROCESS(fcntl)(real_descriptor(from), F_DUPFD_CLOEXEC, 3), real_descriptor(from));
    if (copy < 0) {
      return -1;
    }
    redirect(to, copy);
    return to;
  }
  if (is_taken_by_others(to)) {
    char line[160];
    const int length = snprintf(line, sizeof line,
                                "weft: rank %u: dup2 to descriptor %d fails (EBUSY): another rank of its process has "
                                "it, or Weft\n",
                                weft_shim_info.rank, to);
    weft_shim_info.host.output(2, line, static_cast<size_t>(length));
    errno = EBUSY;
    return -1;
  }
  if (is_standard(from)) {
    stop_output_buffering();
  }
  const int copy = WEFT_OF_PROCESS(dup3)(real_descriptor(from), to, flags);
  if (copy >= 0) {
    forget_descriptor(to);
    note_duplicate(copy, real_descriptor(from));
  }
  return copy;
}

}  // namespace
}  // namespace weft::shim

using weft::shim::hold_descriptor;
using weft::shim::ResourceKind;

#define WEFT_OPEN(name)                                                     \
  WEFT_RANK_EXPORT int name(const char* path, int flags, ...) {             \
    va_list arguments;                                                      \
    va_start(arguments, flags);                                             \
    const mode_t mode = weft::shim::mode_argument(flags, arguments);        \
    va_end(arguments);                                                      \
    return hold_descriptor(WEFT_OF_PROCESS(name)(path, flags, mode), path); \
  }

#define WEFT_OPENAT(name)                                                              \
  WEFT_RANK_EXPORT int name(int directory, const char* path, int flags, ...) {         \
    va_list arguments;                                                                 \
    va_start(arguments, flags);                                                        \
    const mode_t mode = weft::shim::mode_argument(flags, arguments);                   \
    va_end(arguments);                                                                 \
    return hold_descriptor(WEFT_OF_PROCESS(name)(directory, path, flags, mode), path); \
  }

WEFT_OPEN(open)
WEFT_OPEN(open64)
WEFT_OPENAT(openat)
WEFT_OPENAT(openat64)

WEFT_RANK_EXPORT int __open_2(const char* path, int flags);
WEFT_RANK_EXPORT int __open64_2(const char* path, int flags);
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open64(path, flags); }

WEFT_RANK_EXPORT int creat(const char* path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
WEFT_RANK_EXPORT int creat64(const char* path, mode_t mode) { return open64(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

WEFT_RANK_EXPORT int mkstemp(char* path) { return hold_descriptor(WEFT_OF_PROCESS(mkstemp)(path), path); }
WEFT_RANK_EXPORT int mkstemp64(char* path) { return hold_descriptor(WEFT_OF_PROCESS(mkstemp64)(path), path); }
WEFT_RANK_EXPORT int mkostemp(char* path, int flags) {
  return hold_descriptor(WEFT_OF_PROCESS(mkostemp)(path, flags), path);
}
WEFT_RANK_EXPORT int mkostemp64(char* path, int flags) {
  return hold_descriptor(WEFT_OF_PROCESS(mkostemp64)(path, flags), path);
}
WEFT_RANK_EXPORT int mkstemps(char* path, int suffix) {
  return hold_descriptor(WEFT_OF_PROCESS(mkstemps)(path, suffix), path);
}
WEFT_RANK_EXPORT int mkstemps64(char* path, int suffix) {
  return hold_descriptor(WEFT_OF_PROCESS(mkstemps64)(path, suffix), path);
}
WEFT_RANK_EXPORT int mkostemps(char* path, int suffix, int flags) {
  return hold_descriptor(WEFT_OF_PROCESS(mkostemps)(path, suffix, flags), path);
}
WEFT_RANK_EXPORT int mkostemps64(char* path, int suffix, int flags) {
  return hold_descriptor(WEFT_OF_PROCESS(mkostemps64)(path, suffix, flags), path);
}

WEFT_RANK_EXPORT int dup(int descriptor) noexcept {
  if (weft::shim::is_standard(descriptor)) {
    weft::shim::stop_output_buffering();
  }
  const int real = weft::shim::real_descriptor(descriptor);
  return weft::shim::hold_duplicate(WEFT_OF_PROCESS(dup)(real), real);
}
WEFT_RANK_EXPORT int dup2(int from, int to) noexcept {
  return from == to ? WEFT_OF_PROCESS(dup2)(from, to) : weft::shim::duplicate(from, to, 0);
}
WEFT_RANK_EXPORT int dup3(int from, int to, int flags) noexcept { return weft::shim::duplicate(from, to, flags); }

WEFT_RANK_EXPORT int pipe(int ends[2]) noexcept {
  return weft::shim::hold_pair(WEFT_OF_PROCESS(pipe)(ends), ends, "pipe");
}
WEFT_RANK_EXPORT int pipe2(int ends[2], int flags) noexcept {
  return weft::shim::hold_pair(WEFT_OF_PROCESS(pipe2)(ends, flags), ends, "pipe");
}
WEFT_RANK_EXPORT int socketpair(int domain, int type, int protocol, int ends[2]) noexcept {
  return weft::shim::hold_pair(WEFT_OF_PROCESS(socketpair)(domain, type, protocol, ends), ends, "socket");
}
WEFT_RANK_EXPORT int socket(int domain, int type, int protocol) noexcept {
  return hold_descriptor(WEFT_OF_PROCESS(socket)(domain, type, protocol), "socket");
}
WEFT_RANK_EXPORT int accept(int descriptor, sockaddr* address, socklen_t* length) {
  return hold_descriptor(WEFT_OF_PROCESS(accept)(descriptor, address, length), "socket");
}
WEFT_RANK_EXPORT int accept4(int descriptor, sockaddr* address, socklen_t* length, int flags) {
  return hold_descriptor(WEFT_OF_PROCESS(accept4)(descriptor, address, length, flags), "socket");
}

WEFT_RANK_EXPORT int eventfd(unsigned count, int flags) noexcept {
  return hold_descriptor(WEFT_OF_PROCESS(eventfd)(count, flags), "eventfd");
}
WEFT_RANK_EXPORT int epoll_create(int size) noexcept {
  return hold_descriptor(WEFT_OF_PROCESS(epoll_create)(size), "epoll");
}
WEFT_RANK_EXPORT int epoll_create1(int flags) noexcept {
  return hold_descriptor(WEFT_OF_PROCESS(epoll_create1)(flags), "epoll");
}
WEFT_RANK_EXPORT int timerfd_create(clockid_t clock, int flags) noexcept {
  return hold_descriptor(WEFT_OF_PROCESS(timerfd_create)(clock, flags), "timerfd");
}
// With a descriptor it changes that one, which it returns.
WEFT_RANK_EXPORT int signalfd(int descriptor, const sigset_t* mask, int flags) noexcept {
  const int result = WEFT_OF_PROCESS(signalfd)(descriptor, mask, flags);
  return descriptor == -1 ? hold_descriptor(result, "signalfd") : result;
}
WEFT_RANK_EXPORT int inotify_init() noexcept { return hold_descriptor(WEFT_OF_PROCESS(inotify_init)(), "inotify"); }
WEFT_RANK_EXPORT int inotify_init1(int flags) noexcept {
  return hold_descriptor(WEFT_OF_PROCESS(inotify_init1)(flags), "inotify");
}
WEFT_RANK_EXPORT int memfd_create(const char* name, unsigned flags) noexcept {
  return hold_descriptor(WEFT_OF_PROCESS(memfd_create)(name, flags), name);
}
WEFT_RANK_EXPORT int shm_open(const char* name, int flags, mode_t mode) {
  return hold_descriptor(WEFT_OF_PROCESS(shm_open)(name, flags, mode), name);
}

WEFT_RANK_EXPORT int close(int descriptor) {
  if (weft::shim::is_standard(descriptor) && !weft::shim::is_forked_child()) {
    weft::shim::restore(descriptor, descriptor);
    return 0;
  }
  weft::shim::forget_descriptor(descriptor);
  return WEFT_OF_PROCESS(close)(descriptor);
}

WEFT_RANK_EXPORT int __close(int descriptor);
int __close(int descriptor) { return close(descriptor); }

WEFT_RANK_EXPORT DIR* opendir(const char* path) {
  DIR* directory = WEFT_OF_PROCESS(opendir)(path);
  if (directory != nullptr) {
    weft::shim::hold_resource(ResourceKind::kDirectory, weft::shim::key_of(directory), path);
  }
  return directory;
}

// std::filesystem's iterators use it.
WEFT_RANK_EXPORT DIR* fdopendir(int descriptor) {
  DIR* directory = WEFT_OF_PROCESS(fdopendir)(descriptor);
  if (directory != nullptr) {
    weft::shim::hold_in_place_of(descriptor, ResourceKind::kDirectory, weft::shim::key_of(directory));
  }
  return directory;
}

WEFT_RANK_EXPORT int closedir(DIR* directory) {
  weft::shim::forget_resource(ResourceKind::kDirectory, weft::shim::key_of(directory));
  return WEFT_OF_PROCESS(closedir)(directory);
}

WEFT_RANK_EXPORT int regcomp(regex_t* compiled, const char* pattern, int flags) {
  const int error = WEFT_OF_PROCESS(regcomp)(compiled, pattern, flags);
  if (error == 0) {
    weft::shim::hold_resource(ResourceKind::kPattern, weft::shim::key_of(compiled), pattern);
  }
  return error;
}

WEFT_RANK_EXPORT void regfree(regex_t* compiled) {
  weft::shim::forget_resource(ResourceKind::kPattern, weft::shim::key_of(compiled));
  WEFT_OF_PROCESS(regfree)(compiled);
}
