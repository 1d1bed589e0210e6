// Locks of files, which keep the rank in its process, since another process would not own them. Also fcntl(), with its
// duplicates of descriptors.
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <unistd.h>

#include "runtime/image/libc_shim/file_numbers.hpp"
#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/streams.hpp"

namespace weft::shim {
namespace {

// Unlocking a part of a file may leave other parts locked.
enum class Change { kNone, kLocked, kUnlocked };

void note(int descriptor, Change change) {
  HeldResource* const resource = change == Change::kNone ? nullptr : resource_of(descriptor);
  if (resource != nullptr) {
    resource->locked = change == Change::kLocked;
  }
  if (change == Change::kLocked) {
    note_lock(descriptor);
  }
}

Change change_by(int command, const void* argument) {
  if (command != F_SETLK && command != F_SETLKW && command != F_OFD_SETLK && command != F_OFD_SETLKW) {
    return Change::kNone;
  }
  const auto& lock = *static_cast<const struct flock*>(argument);
  if (lock.l_type != F_UNLCK) {
    return Change::kLocked;
  }
  return lock.l_whence == SEEK_SET && lock.l_start == 0 && lock.l_len == 0 ? Change::kUnlocked : Change::kNone;
}

int control(int descriptor, int command, void* argument) {
  const int real = weft::shim::real_descriptor(descriptor);
  const bool duplicates = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
  if (duplicates && is_standard(descriptor)) {
    stop_output_buffering();
  }
  const int result = WEFT_OF_PROCESS(fcntl)(real, command, argument);
  if (duplicates) {
    return hold_duplicate(result, real, static_cast<int>(reinterpret_cast<intptr_t>(argument)));
  }
  note(real, result < 0 ? Change::kNone : change_by(command, argument));
  return result;
}

int lock_part(int descriptor, int command, int result) {
  const bool locks = command == F_LOCK || command == F_TLOCK;
  note(real_descriptor(descriptor), result == 0 && locks ? Change::kLocked : Change::kNone);
  return result;
}

}  // namespace
}  // namespace weft::shim

#define WEFT_FCNTL(name)                                        \
  WEFT_RANK_EXPORT int name(int descriptor, int command, ...) { \
    va_list arguments;                                          \
    va_start(arguments, command);                               \
    void* const argument = va_arg(arguments, void*);            \
    va_end(arguments);                                          \
    return weft::shim::control(descriptor, command, argument);  \
  }

WEFT_FCNTL(fcntl)
WEFT_FCNTL(fcntl64)

WEFT_RANK_EXPORT int lockf(int descriptor, int command, off_t bytes) {
  return weft::shim::lock_part(descriptor, command,
                               WEFT_OF_PROCESS(lockf)(weft::shim::real_descriptor(descriptor), command, bytes));
}
WEFT_RANK_EXPORT int lockf64(int descriptor, int command, off64_t bytes) {
  return weft::shim::lock_part(descriptor, command,
                               WEFT_OF_PROCESS(lockf64)(weft::shim::real_descriptor(descriptor), command, bytes));
}

WEFT_RANK_EXPORT int flock(int descriptor, int operation) noexcept {
  const int real = weft::shim::real_descriptor(descriptor);
  const int result = WEFT_OF_PROCESS(flock)(real, operation);
  if (result == 0) {
    weft::shim::note(real, (operation & LOCK_UN) != 0 ? weft::shim::Change::kUnlocked : weft::shim::Change::kLocked);
  }
  return result;
}
