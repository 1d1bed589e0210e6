// System calls on descriptors 0 to 2, which stand for the rank's own streams.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/streams.hpp"

using weft::shim::is_standard;

WEFT_RANK_EXPORT ssize_t write(int descriptor, const void* bytes, size_t n) {
  if (is_standard(descriptor)) [[unlikely]] {
    return weft::shim::write_standard(descriptor, bytes, n);
  }
  return WEFT_OF_PROCESS(write)(descriptor, bytes, n);
}

WEFT_RANK_EXPORT ssize_t __write(int descriptor, const void* bytes, size_t n);
ssize_t __write(int descriptor, const void* bytes, size_t n) { return write(descriptor, bytes, n); }

WEFT_RANK_EXPORT ssize_t read(int descriptor, void* bytes, size_t n) {
  if (descriptor == 0) [[unlikely]] {
    return weft::shim::read_standard(bytes, n);
  }
  return WEFT_OF_PROCESS(read)(descriptor, bytes, n);
}

WEFT_RANK_EXPORT ssize_t __read(int descriptor, void* bytes, size_t n);
WEFT_RANK_EXPORT ssize_t __read_chk(int descriptor, void* bytes, size_t n, size_t size);
ssize_t __read(int descriptor, void* bytes, size_t n) { return read(descriptor, bytes, n); }
ssize_t __read_chk(int descriptor, void* bytes, size_t n, size_t size) {
  if (n > size) {
    weft::shim::fail("read() of %zu bytes into a buffer of %zu", n, size);
  }
  return read(descriptor, bytes, n);
}

WEFT_RANK_EXPORT ssize_t writev(int descriptor, const iovec* parts, int count) {
  const int real = weft::shim::real_descriptor(descriptor);
  if (!is_standard(real) || weft::shim::is_forked_child()) {
    return WEFT_OF_PROCESS(writev)(real, parts, count);
  }
  ssize_t total = 0;  // the job's output takes each part whole
  for (int i = 0; i < count; ++i) {
    const ssize_t written = weft::shim::write_standard(descriptor, parts[i].iov_base, parts[i].iov_len);
    if (written < 0) {
      return total != 0 ? total : written;
    }
    total += written;
  }
  return total;
}

WEFT_RANK_EXPORT int vdprintf(int descriptor, const char* format, va_list arguments) {
  if (!is_standard(descriptor)) {
    return WEFT_OF_PROCESS(vdprintf)(descriptor, format, arguments);
  }
  char* text = nullptr;
  const int length = vasprintf(&text, format, arguments);
  if (length >= 0) {
    write(descriptor, text, static_cast<size_t>(length));
    free(text);
  }
  return length;
}

WEFT_RANK_EXPORT int dprintf(int descriptor, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vdprintf(descriptor, format, arguments);
  va_end(arguments);
  return length;
}

WEFT_RANK_EXPORT int __vdprintf_chk(int descriptor, int flag, const char* format, va_list arguments);
WEFT_RANK_EXPORT int __dprintf_chk(int descriptor, int flag, const char* format, ...);

int __vdprintf_chk(int descriptor, int, const char* format, va_list arguments) {
  return vdprintf(descriptor, format, arguments);
}

int __dprintf_chk(int descriptor, int, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vdprintf(descriptor, format, arguments);
  va_end(arguments);
  return length;
}

WEFT_RANK_EXPORT int isatty(int descriptor) noexcept {
  return WEFT_OF_PROCESS(isatty)(weft::shim::real_descriptor(descriptor));
}
