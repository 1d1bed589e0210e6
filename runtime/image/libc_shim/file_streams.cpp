#include "runtime/image/libc_shim/file_streams.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/image/libc_shim/file_numbers.hpp"
#include "runtime/image/libc_shim/held_resources.hpp"
#include "runtime/image/libc_shim/rank_lifecycle.hpp"

namespace weft::shim {
namespace {

// The C library's layout: the FILE and its function table, its lock, and data for wide characters.
constexpr size_t kLockAt = sizeof(FILE) + sizeof(void*);
constexpr size_t kWideAt = kLockAt + 16;
constexpr size_t kStreamBytes = kWideAt + 232;
constexpr int kLinked = 0x80;     // in _flags: on the process's list of streams
constexpr int kInBackup = 0x100;  // in _flags: reads what was pushed back
constexpr int kNeedsLock = 0x80;  // in _flags2
constexpr size_t kMostBuffer = BUFSIZ;

struct OwnStream {
  alignas(16) char bytes[kStreamBytes];
  char* buffer;

  FILE* file() { return reinterpret_cast<FILE*>(bytes); }
};

OwnStream& stream_of(FILE* file) { return *reinterpret_cast<OwnStream*>(file); }

size_t offset_in(const FILE* file, const void* part) {
  return static_cast<size_t>(static_cast<const char*>(part) - reinterpret_cast<const char*>(file));
}

// Streams that convert characters keep more state in the process's memory.
bool converts(const char* mode) { return strchr(mode, ',') != nullptr; }

// The mode without 'm', which allows to map the file instead of reading it.
struct SimpleMode {
  char text[64];

  explicit SimpleMode(const char* mode) {
    size_t n = 0;
    bool in_letters = true;
    for (; *mode != '\0' && n + 1 < sizeof text; ++mode) {
      in_letters = in_letters && *mode != ',';
      if (!in_letters || *mode != 'm') {
        text[n++] = *mode;
      }
    }
    text[n] = '\0';
  }
};

bool has_known_layout(const FILE* file) {
  return offset_in(file, file->_lock) == kLockAt && offset_in(file, file->_wide_data) == kWideAt;
}

// Allocates a buffer as the C library does at first use, but in the rank's memory.
void give_buffer(OwnStream& stream) {
  FILE* const file = stream.file();
  struct stat status = {};
  const bool known = WEFT_OF_PROCESS(fstat)(file->_fileno, &status) == 0;
  const bool terminal = known && S_ISCHR(status.st_mode) && WEFT_OF_PROCESS(isatty)(file->_fileno) != 0;
  const auto block = known && status.st_blksize > 0 ? static_cast<size_t>(status.st_blksize) : kMostBuffer;
  const size_t size = block < kMostBuffer ? block : kMostBuffer;
  free(stream.buffer);
  stream.buffer = static_cast<char*>(malloc(size));
  const int kind = stream.buffer == nullptr ? _IONBF : terminal ? _IOLBF : _IOFBF;
  setvbuf(file, stream.buffer, kind, size);
}

// Turns the stream into a copy of the process's stream, and ends that one.
void become(OwnStream& stream, FILE* pattern) {
  memcpy(stream.bytes, pattern, kStreamBytes);
  pattern->_fileno = -1;  // now the copy's
  of_libc<decltype(::fclose)>("fclose")(pattern);
  FILE* const file = stream.file();
  file->_lock = stream.bytes + kLockAt;
  file->_wide_data = reinterpret_cast<_IO_wide_data*>(stream.bytes + kWideAt);
  file->_chain = nullptr;
  file->_flags &= ~kLinked;
  file->_flags2 |= weft_shim_info.threaded != 0 ? kNeedsLock : 0;
  give_buffer(stream);
}

void drop_characters_pushed_back(FILE* file) {
  if (file->_IO_save_base != nullptr) {
    of_libc<void(FILE*)>("_IO_free_backup_area")(file);
  }
}

FILE* hold_process_stream(FILE* file, const char* name) {
  if (file != nullptr) {
    hold_resource(ResourceKind::kStream, key_of(file), name);
  }
  return file;
}

// Moves the process's stream to the rank's memory. Null, and the process's stream is unchanged, if it must stay there.
FILE* take_over(FILE* pattern) {
  if (!has_known_layout(pattern)) {
    return nullptr;
  }
  auto* const stream = static_cast<OwnStream*>(malloc(sizeof(OwnStream)));
  if (stream == nullptr) {
    return nullptr;
  }
  stream->buffer = nullptr;
  become(*stream, pattern);
  return stream->file();
}

}  // namespace

FILE* open_own_stream(const char* path, const char* mode) {
  FILE* const pattern = of_libc<decltype(::fopen)>("fopen")(path, SimpleMode(mode).text);
  FILE* const file = pattern != nullptr && !converts(mode) ? take_over(pattern) : nullptr;
  if (file == nullptr) {
    return hold_process_stream(pattern, path);
  }
  file->_fileno = with_own_number(file->_fileno);
  return hold_process_stream(file, path);
}

FILE* open_own_stream(int descriptor, const char* mode) {
  FILE* const pattern = of_libc<decltype(::fdopen)>("fdopen")(descriptor, SimpleMode(mode).text);
  FILE* const taken = pattern != nullptr && !converts(mode) ? take_over(pattern) : nullptr;
  FILE* const file = taken != nullptr ? taken : pattern;
  if (file == nullptr) {
    return nullptr;
  }
  hold_in_place_of(descriptor, ResourceKind::kStream, key_of(file));
  return file;
}

FILE* reopen_own_stream(const char* path, const char* mode, FILE* file) {
  OwnStream& stream = stream_of(file);
  fflush(file);
  drop_characters_pushed_back(file);
  char same[32];
  snprintf(same, sizeof same, "/proc/self/fd/%d", file->_fileno);
  FILE* const pattern =
      of_libc<decltype(::fopen)>("fopen")(path != nullptr ? path : same, converts(mode) ? "" : SimpleMode(mode).text);
  forget_resource(ResourceKind::kStream, key_of(file));
  if (file->_fileno >= 0) {
    WEFT_OF_PROCESS(close)(file->_fileno);
    give_number_back(file->_fileno);
  }
  file->_fileno = -1;
  if (pattern == nullptr) {
    hold_resource(ResourceKind::kStream, key_of(file), "closed");  // to be freed by fclose
    return nullptr;
  }
  become(stream, pattern);
  file->_fileno = with_own_number(file->_fileno);
  hold_resource(ResourceKind::kStream, key_of(file), path != nullptr ? path : "reopened");
  return file;
}

int close_own_stream(FILE* file) {
  int result = file->_fileno < 0 ? EOF : fflush(file);
  drop_characters_pushed_back(file);
  const int descriptor = file->_fileno;
  forget_resource(ResourceKind::kStream, key_of(file));
  if (descriptor >= 0) {
    result = WEFT_OF_PROCESS(close)(descriptor) != 0 ? EOF : result;
    give_number_back(descriptor);
  }
  free(stream_of(file).buffer);
  free(file);
  return result;
}

bool has_characters_pushed_back(const FILE* file) {
  return file->_IO_save_base != nullptr && (file->_flags & kInBackup) != 0;
}

void forget_characters_read(FILE* file) {
  if (!has_characters_pushed_back(file)) {
    drop_characters_pushed_back(file);
  }
}

void lock_own_streams() {
  for (const HeldResource* at = held_resources(); at != nullptr; at = at->next) {
    auto* const file = reinterpret_cast<FILE*>(at->key);
    if (at->kind == ResourceKind::kStream && is_ranks_own(file)) {
      file->_flags2 |= kNeedsLock;
    }
  }
}

}  // namespace weft::shim
