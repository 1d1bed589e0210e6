// Streams that the rank opens; the rank's end closes them. Streams that are no files stay in the process's memory.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "runtime/image/libc_shim/file_numbers.hpp"
#include "runtime/image/libc_shim/file_streams.hpp"
#include "runtime/image/libc_shim/held_resources.hpp"
#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/streams.hpp"

namespace weft::shim {
namespace {

FILE* hold_stream(FILE* file, const char* name) {
  if (file != nullptr) {
    hold_resource(ResourceKind::kStream, key_of(file), name);
  }
  return file;
}

int flags_of(const char* mode) {
  const int both = strchr(mode, '+') != nullptr ? O_RDWR : 0;
  switch (mode[0]) {
    case 'r':
      return both != 0 ? both : O_RDONLY;
    case 'a':
      return (both != 0 ? both : O_WRONLY) | O_CREAT | O_APPEND;
    default:
      return (both != 0 ? both : O_WRONLY) | O_CREAT | O_TRUNC;
  }
}

// A standard stream keeps its FILE, to which other code may have a pointer; only its descriptor changes.
FILE* reopen_standard(const char* path, const char* mode, FILE* file) {
  fflush(file);
  __fpurge(file);
  clearerr(file);
  if (path == nullptr) {
    return file;
  }
  const int descriptor = WEFT_OF_PROCESS(open)(path, flags_of(mode), 0666);
  if (descriptor < 0) {
    return nullptr;
  }
  redirect(standard_descriptor(file), hold_descriptor(descriptor, path));
  return file;
}

template <class Reopen>
FILE* reopen(const char* path, const char* mode, FILE* file, Reopen reopen_in_process) {
  if (standard_descriptor(file) >= 0) {
    return reopen_standard(path, mode, file);
  }
  if (is_ranks_own(file)) {
    return reopen_own_stream(path, mode, file);
  }
  forget_resource(ResourceKind::kStream, key_of(file));
  return hold_stream(reopen_in_process(path, mode, file), path != nullptr ? path : "reopened");
}

int close_standard(FILE* file) {
  const int result = fflush(file);
  close(standard_descriptor(file));
  return result;
}

}  // namespace

int flush_files() {
  int result = 0;
  for (const HeldResource* at = held_resources(); at != nullptr; at = at->next) {
    auto* const file = reinterpret_cast<FILE*>(at->key);
    // fflush() of a stream that reads would move the offset, which a forked child shares with the rank.
    if (at->kind == ResourceKind::kStream && __fpending(file) != 0 && fflush(file) == EOF) {
      result = EOF;
    }
  }
  return result;
}

void close_held_resources() {
  for (int standard = 0; standard < 3; ++standard) {
    restore(standard, standard);
  }
  while (held_resources() != nullptr) {
    HeldResource* const before = held_resources();
    const HeldResource& resource = *before;
    if (resource.kind == ResourceKind::kStream) {
      fclose(reinterpret_cast<FILE*>(resource.key));
    } else if (resource.kind == ResourceKind::kDescriptor) {
      close(static_cast<int>(resource.key));
    } else if (resource.kind == ResourceKind::kDirectory &&
               !has_threads()) {  // a thread that is left may be reading it
      closedir(reinterpret_cast<DIR*>(resource.key));
    }
    if (held_resources() == before) {
      forget_resource(resource.kind, resource.key);
    }
  }
}

}  // namespace weft::shim

using weft::shim::hold_stream;

WEFT_RANK_EXPORT FILE* fopen(const char* path, const char* mode) { return weft::shim::open_own_stream(path, mode); }
WEFT_RANK_EXPORT FILE* fopen64(const char* path, const char* mode) { return weft::shim::open_own_stream(path, mode); }

WEFT_RANK_EXPORT FILE* fdopen(int descriptor, const char* mode) noexcept {
  if (!weft::shim::is_standard(descriptor) || weft::shim::is_forked_child()) {
    return weft::shim::open_own_stream(descriptor, mode);
  }
  // A duplicate, since the stream's end closes its descriptor: 0 to 2 belong to all ranks of the process.
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  FILE* const file = copy < 0 ? nullptr : weft::shim::open_own_stream(copy, mode);
  if (file == nullptr && copy >= 0) {
    close(copy);
  }
  return file;
}

WEFT_RANK_EXPORT FILE* tmpfile() { return hold_stream(WEFT_OF_PROCESS(tmpfile)(), "temporary file"); }
WEFT_RANK_EXPORT FILE* tmpfile64() { return hold_stream(WEFT_OF_PROCESS(tmpfile64)(), "temporary file"); }

WEFT_RANK_EXPORT FILE* popen(const char* command, const char* mode) {
  weft::shim::flush_job_output();
  return hold_stream(WEFT_OF_PROCESS(popen)(command, mode), command);
}

WEFT_RANK_EXPORT FILE* fmemopen(void* bytes, size_t n, const char* mode) noexcept {
  return hold_stream(WEFT_OF_PROCESS(fmemopen)(bytes, n, mode), "in memory");
}

WEFT_RANK_EXPORT FILE* open_memstream(char** text, size_t* size) noexcept {
  return hold_stream(WEFT_OF_PROCESS(open_memstream)(text, size), "in memory");
}

WEFT_RANK_EXPORT FILE* open_wmemstream(wchar_t** text, size_t* size) noexcept {
  return hold_stream(WEFT_OF_PROCESS(open_wmemstream)(text, size), "in memory");
}

WEFT_RANK_EXPORT FILE* fopencookie(void* cookie, const char* mode, cookie_io_functions_t functions) noexcept {
  return hold_stream(WEFT_OF_PROCESS(fopencookie)(cookie, mode, functions), "of the program's own kind");
}

WEFT_RANK_EXPORT FILE* freopen(const char* path, const char* mode, FILE* file) {
  return weft::shim::reopen(path, mode, file, WEFT_OF_PROCESS(freopen));
}

WEFT_RANK_EXPORT FILE* freopen64(const char* path, const char* mode, FILE* file) {
  return weft::shim::reopen(path, mode, file, WEFT_OF_PROCESS(freopen64));
}

WEFT_RANK_EXPORT int fclose(FILE* file) {
  if (weft::shim::standard_descriptor(file) >= 0) {
    return weft::shim::close_standard(file);
  }
  if (weft::shim::is_ranks_own(file)) {
    return weft::shim::close_own_stream(file);
  }
  weft::shim::forget_resource(weft::shim::ResourceKind::kStream, weft::shim::key_of(file));
  return WEFT_OF_PROCESS(fclose)(file);
}

WEFT_RANK_EXPORT int pclose(FILE* file) {
  weft::shim::forget_resource(weft::shim::ResourceKind::kStream, weft::shim::key_of(file));
  return WEFT_OF_PROCESS(pclose)(file);
}

WEFT_RANK_EXPORT int fcloseall() {
  weft::shim::flush_streams();
  while (const weft::shim::HeldResource* at = weft::shim::held_resources()) {
    while (at != nullptr && at->kind != weft::shim::ResourceKind::kStream) {
      at = at->next;
    }
    if (at == nullptr) {
      break;
    }
    fclose(reinterpret_cast<FILE*>(at->key));
  }
  return 0;
}
