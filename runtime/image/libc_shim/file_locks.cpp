// Locks of files, which keep the rank in its process: another process would not have them. And fcntl's duplicates.
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <unistd.h>

#include "runtime/image/libc_shim/file_numbers.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/streams.hpp"
#include "runtime/image/libc_shim/subjects.hpp"

namespace weft::shim {
namespace {

// Part of a lock may be left where a part is unlocked.
enum class Change { kNone, kLocked, kUnlocked };

void note(int descriptor, Change change) {
  Holding* const holding = change == Change::kNone ? nullptr : holding_of(descriptor);
  if (holding != nullptr) {
    holding->locked = change == Change::kLocked;
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
  const int behind = weft::shim::behind(descriptor);
  const bool duplicates = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
  if (duplicates && is_standard(descriptor)) {
    gather_no_more();
  }
  const int result = WEFT_OF_PROCESS(fcntl)(behind, command, argument);
  if (duplicates) {
    return held_duplicate(result, behind, static_cast<int>(reinterpret_cast<intptr_t>(argument)));
  }
  note(behind, result < 0 ? Change::kNone : change_by(command, argument));
  return result;
}

int lock_part(int descriptor, int command, int result) {
  const bool locks = command == F_LOCK || command == F_TLOCK;
  note(behind(descriptor), result == 0 && locks ? Change::kLocked : Change::kNone);
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
                               WEFT_OF_PROCESS(lockf)(weft::shim::behind(descriptor), command, bytes));
}
WEFT_RANK_EXPORT int lockf64(int descriptor, int command, off64_t bytes) {
  return weft::shim::lock_part(descriptor, command,
                               WEFT_OF_PROCESS(lockf64)(weft::shim::behind(descriptor), command, bytes));
}

WEFT_RANK_EXPORT int flock(int descriptor, int operation) noexcept {
  const int behind = weft::shim::behind(descriptor);
  const int result = WEFT_OF_PROCESS(flock)(behind, operation);
  if (result == 0) {
    weft::shim::note(behind, (operation & LOCK_UN) != 0 ? weft::shim::Change::kUnlocked : weft::shim::Change::kLocked);
  }
  return result;
}
