// stdin, stdout and stderr of the rank: the C library's FILE objects, placed in the rank's own memory so that they move
// with it, and connected to the job's output instead of the process's descriptors.
#include "runtime/image/libc_shim/streams.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

#include "runtime/image/libc_shim/file_numbers.hpp"
#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

extern "C" {
[[gnu::visibility("default")]] FILE* stdin;
[[gnu::visibility("default")]] FILE* stdout;
[[gnu::visibility("default")]] FILE* stderr;
}

namespace weft::shim {
namespace {

constexpr size_t kBuffer = 1024;
constexpr size_t kLockBytes = 16;
// Behind the FILE the C library stores its function table, our cookie and our four functions, then the lock.
constexpr size_t kBinding = 6 * sizeof(void*);
constexpr int kLinked = 0x80;  // in _flags: on the process's list of streams

struct alignas(16) StreamMemory {
  char bytes[320];
};

StreamMemory memory[3];
char buffers[2][kBuffer];
int redirected[3];                  // 1 + the process's descriptor; 0: not redirected
int job_descriptor[3] = {0, 1, 2};  // which descriptor of the job
bool at_once;                       // the rank's output must not be buffered

// A copy of what a standard descriptor stands for, with a number above 2; -1 if it stands for itself.
int copy_for_child(int standard) {
  if (redirected[standard] != 0) {
    return WEFT_OF_PROCESS(fcntl)(redirected[standard] - 1, F_DUPFD_CLOEXEC, 3);
  }
  if (standard == 0 && weft_shim_info.rank != 0) {
    return WEFT_OF_PROCESS(open)("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  return job_descriptor[standard] == standard ? -1
                                              : WEFT_OF_PROCESS(fcntl)(job_descriptor[standard], F_DUPFD_CLOEXEC, 3);
}

FILE* file_of(int descriptor) { return reinterpret_cast<FILE*>(memory[descriptor].bytes); }

ssize_t write_cookie(void* cookie, const char* bytes, size_t n) {
  return write_standard(static_cast<int>(reinterpret_cast<intptr_t>(cookie)), bytes, n);
}

ssize_t read_cookie(void*, char* bytes, size_t n) { return read_standard(bytes, n); }

// Creates a stream of the process, only to be copied.
FILE* make_pattern(int descriptor) {
  cookie_io_functions_t functions = {};
  functions.read = descriptor == 0 ? read_cookie : nullptr;
  functions.write = descriptor == 0 ? nullptr : write_cookie;
  FILE* file = of_libc<decltype(::fopencookie)>("fopencookie")(
      reinterpret_cast<void*>(static_cast<intptr_t>(descriptor)), descriptor == 0 ? "r" : "w", functions);
  const size_t lock_at =
      file != nullptr
          ? static_cast<size_t>(static_cast<char*>(static_cast<void*>(file->_lock)) - reinterpret_cast<char*>(file))
          : 0;
  if (lock_at < sizeof(FILE) + kBinding || lock_at + kLockBytes > sizeof(StreamMemory)) {
    fail("this C library lays out its streams in a way that is not known");
  }
  return file;
}

void make_stream(int descriptor) {
  FILE* pattern = make_pattern(descriptor);
  const auto lock_at = static_cast<char*>(static_cast<void*>(pattern->_lock)) - reinterpret_cast<char*>(pattern);
  char* bytes = memory[descriptor].bytes;
  memcpy(bytes, pattern, static_cast<size_t>(lock_at) + kLockBytes);
  FILE* file = file_of(descriptor);
  file->_lock = bytes + lock_at;
  file->_chain = nullptr;
  file->_flags &= ~kLinked;
  of_libc<decltype(::fclose)>("fclose")(pattern);
  __fsetlocking(file, weft_shim_info.threaded != 0 ? FSETLOCKING_INTERNAL : FSETLOCKING_BYCALLER);
}

}  // namespace

void start_streams() {
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    make_stream(descriptor);
  }
  stdin = file_of(0);
  stdout = file_of(1);
  stderr = file_of(2);
  setvbuf(stdin, buffers[0], _IOFBF, kBuffer);
  setvbuf(stdout, buffers[1], _IOLBF, kBuffer);
  setvbuf(stderr, nullptr, _IONBF, 0);
}

void flush_streams() {
  WEFT_OF_PROCESS(fflush)(file_of(1));
  WEFT_OF_PROCESS(fflush)(file_of(2));
}

void lock_streams() {
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    __fsetlocking(file_of(descriptor), FSETLOCKING_INTERNAL);
  }
}

int standard_descriptor(const FILE* file) {
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (file == file_of(descriptor)) {
      return descriptor;
    }
  }
  return -1;
}

ssize_t write_standard(int descriptor, const void* bytes, size_t n) {
  if (const int other = real_descriptor(descriptor); other != descriptor) {
    return WEFT_OF_PROCESS(write)(other, bytes, n);
  }
  if (is_forked_child()) {
    return WEFT_OF_PROCESS(write)(job_descriptor[descriptor], bytes, n);
  }
  const ssize_t written = weft_shim_info.host.output(job_descriptor[descriptor], bytes, n);
  if (at_once) [[unlikely]] {
    flush_job_output();
  }
  return written;
}

void flush_job_output() {
  if (!is_forked_child()) {
    weft_shim_info.host.output(1, nullptr, 0);
  }
}

void stop_output_buffering() {
  at_once = true;
  flush_job_output();
}

ssize_t read_standard(void* bytes, size_t n) {
  if (const int other = real_descriptor(0); other != 0 || is_forked_child()) {
    return WEFT_OF_PROCESS(read)(other, bytes, n);
  }
  return weft_shim_info.host.input(bytes, n);
}

void redirect(int standard, int descriptor) {
  if (is_forked_child() && descriptor >= 0) {
    if (descriptor != standard) {
      WEFT_OF_PROCESS(dup2)(descriptor, standard);
      close(descriptor);
    }
    return;
  }
  if (redirected[standard] != 0) {
    const int before = redirected[standard] - 1;
    WEFT_OF_PROCESS(close)(before);
    forget_descriptor(before);
  }
  redirected[standard] = descriptor + 1;
}

void restore(int standard, int job) {
  redirect(standard, -1);
  job_descriptor[standard] = job;
}

void own_standard_descriptors() {
  int copies[3];  // all are made before any is replaced, since one may stand for another
  for (int standard = 0; standard < 3; ++standard) {
    copies[standard] = copy_for_child(standard);
  }
  for (int standard = 0; standard < 3; ++standard) {
    if (copies[standard] >= 0) {
      WEFT_OF_PROCESS(dup2)(copies[standard], standard);
      WEFT_OF_PROCESS(close)(copies[standard]);
    }
    restore(standard, standard);
  }
}

int descriptor_of_job(int standard) { return job_descriptor[standard]; }

int real_descriptor(int descriptor) {
  return is_standard(descriptor) && redirected[descriptor] != 0 ? redirected[descriptor] - 1 : descriptor;
}

// The C library stores function pointers mangled with a secret of its process.
void rebind_streams() {
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    FILE* pattern = make_pattern(descriptor);
    memcpy(memory[descriptor].bytes + sizeof(FILE), reinterpret_cast<char*>(pattern) + sizeof(FILE), kBinding);
    of_libc<decltype(::fclose)>("fclose")(pattern);
  }
}

}  // namespace weft::shim

WEFT_RANK_EXPORT void weft_shim_flush();

void weft_shim_flush() { weft::shim::flush_streams(); }
