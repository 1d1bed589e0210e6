// fstat(), lseek() and ftruncate() of descriptors 0 to 2, which stand for the rank's own streams.
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/streams.hpp"

namespace weft::shim {
namespace {

// The job's output, which the rank can access only through the runtime: it has no offset that the rank could know.
bool is_jobs_output(int descriptor) {
  return (descriptor == 1 || descriptor == 2) && real_descriptor(descriptor) == descriptor && !is_forked_child();
}

// Presents the job's output file as a pipe to the rank. Otherwise libraries that buffer output to files (gfortran's
// does) would not pass on every line, as they do to a terminal or under another launcher.
template <class Status>
int as_pipe(int result, int descriptor, Status* status) {
  if (result == 0 && is_jobs_output(descriptor) && S_ISREG(status->st_mode)) {
    status->st_mode = (status->st_mode & ~static_cast<mode_t>(S_IFMT)) | S_IFIFO;
    status->st_size = 0;
    status->st_blocks = 0;
  }
  return result;
}

}  // namespace
}  // namespace weft::shim

using weft::shim::is_jobs_output;
using weft::shim::real_descriptor;

WEFT_RANK_EXPORT int fstat(int descriptor, struct stat* status) noexcept {
  return weft::shim::as_pipe(WEFT_OF_PROCESS(fstat)(real_descriptor(descriptor), status), descriptor, status);
}

WEFT_RANK_EXPORT int fstat64(int descriptor, struct stat64* status) noexcept {
  return weft::shim::as_pipe(WEFT_OF_PROCESS(fstat64)(real_descriptor(descriptor), status), descriptor, status);
}

// Programs that were compiled with a C library before 2.33 call these.
WEFT_RANK_EXPORT int __fxstat(int version, int descriptor, struct stat* status) noexcept;
WEFT_RANK_EXPORT int __fxstat64(int version, int descriptor, struct stat64* status) noexcept;

int __fxstat(int, int descriptor, struct stat* status) noexcept { return fstat(descriptor, status); }
int __fxstat64(int, int descriptor, struct stat64* status) noexcept { return fstat64(descriptor, status); }

#define WEFT_SEEK(name, Offset)                                                      \
  WEFT_RANK_EXPORT Offset name(int descriptor, Offset offset, int whence) noexcept { \
    if (is_jobs_output(descriptor)) {                                                \
      errno = ESPIPE;                                                                \
      return -1;                                                                     \
    }                                                                                \
    return WEFT_OF_PROCESS(name)(real_descriptor(descriptor), offset, whence);       \
  }

#define WEFT_TRUNCATE(name, Offset)                                    \
  WEFT_RANK_EXPORT int name(int descriptor, Offset length) noexcept {  \
    if (is_jobs_output(descriptor)) {                                  \
      errno = EINVAL;                                                  \
      return -1;                                                       \
    }                                                                  \
    return WEFT_OF_PROCESS(name)(real_descriptor(descriptor), length); \
  }

WEFT_SEEK(lseek, off_t)
WEFT_SEEK(lseek64, off64_t)
WEFT_TRUNCATE(ftruncate, off_t)
WEFT_TRUNCATE(ftruncate64, off64_t)
