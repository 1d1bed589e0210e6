// Files that a rank has open when it moves to another process or is saved in an image: saves what is needed to open
// them again, and does so.
#include "runtime/image/libc_shim/carried_files.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/image/libc_shim/file_mappings.hpp"
#include "runtime/image/libc_shim/file_numbers.hpp"
#include "runtime/image/libc_shim/file_streams.hpp"
#include "runtime/image/libc_shim/found_files.hpp"
#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {

struct SavedFile {
  struct statx status;
  off_t offset;
  int flags;             // as for open(2)
  bool close_on_exec;    // of the descriptor
  bool is_open;          // it has been opened again here
  bool has_other_hosts;  // device numbers may differ
  char path[1];
};

namespace {

// The flags of the open file, or -1.
int flags_of(int descriptor) {
  const int flags = WEFT_OF_PROCESS(fcntl)(descriptor, F_GETFL);
  return flags < 0 || (flags & O_PATH) != 0 ? -1 : flags & ~(O_CREAT | O_EXCL | O_TRUNC);
}

bool is_written(int flags) { return (flags & O_ACCMODE) != O_RDONLY; }

// Why the file cannot be opened elsewhere, or null. `path`: where it lies.
const char* obstacle(int descriptor, const char* path, bool several_hosts) {
  const int flags = flags_of(descriptor);
  struct statx file = {};
  if (flags < 0 || !read_status(descriptor, "", file)) {
    return "may not be opened again";
  }
  const int access = flags & O_ACCMODE;
  return why_not_found(file, path, access == O_RDONLY ? R_OK : access == O_WRONLY ? W_OK : R_OK | W_OK, several_hosts);
}

bool keeps_other_hosts;  // `several_hosts` of the last call of why_file_stays()

SavedFile* save(int descriptor) {
  char path[kPath];
  if (!find_path(descriptor, path)) {
    return nullptr;
  }
  auto* saved = static_cast<SavedFile*>(malloc(sizeof(SavedFile) + strlen(path)));
  if (saved == nullptr) {
    return nullptr;
  }
  strcpy(saved->path, path);
  saved->offset = WEFT_OF_PROCESS(lseek)(descriptor, 0, SEEK_CUR);
  saved->flags = flags_of(descriptor);
  saved->close_on_exec = (WEFT_OF_PROCESS(fcntl)(descriptor, F_GETFD) & FD_CLOEXEC) != 0;
  saved->is_open = false;
  saved->has_other_hosts = keeps_other_hosts;
  if (!read_status(descriptor, "", saved->status)) {
    free(saved);
    return nullptr;
  }
  return saved;
}

void warn_of_overwriting(const SavedFile& saved, const struct statx& now) {
  const statx_timestamp& before = saved.status.stx_mtime;
  const bool changed = before.tv_sec != now.stx_mtime.tv_sec || before.tv_nsec != now.stx_mtime.tv_nsec;
  const bool in_place = (saved.flags & O_APPEND) == 0 && saved.offset < static_cast<off_t>(saved.status.stx_size);
  if (changed && in_place) {
    const char* const text = file_text(
        "weft: rank %u: file '%s' was written to before its end: what it has got there since the image stays\n",
        weft_shim_info.rank, saved.path);
    weft_shim_info.host.output(2, text, strlen(text));
  }
}

// Whether it can be rolled back to the image. Null, or what is wrong.
const char* obstacle_to_roll_back(const SavedFile& saved, const struct statx& now) {
  const uint64_t length = saved.status.stx_size;
  if (is_written(saved.flags) && now.stx_size < length) {
    return file_text("file '%s' has %llu bytes, at the image it had %llu: it cannot be rolled back", saved.path,
                     static_cast<unsigned long long>(now.stx_size), static_cast<unsigned long long>(length));
  }
  return nullptr;
}

// Rolls the file back to the image. Null, or what is wrong.
const char* roll_back(const SavedFile& saved, int descriptor) {
  struct statx now = {};
  if (!is_written(saved.flags) || !read_status(descriptor, "", now)) {
    return nullptr;
  }
  const uint64_t length = saved.status.stx_size;
  warn_of_overwriting(saved, now);
  if (now.stx_size > length && WEFT_OF_PROCESS(ftruncate)(descriptor, static_cast<off_t>(length)) != 0) {
    return file_text("file '%s' cannot be cut back to %llu bytes: %s", saved.path,
                     static_cast<unsigned long long>(length), strerror(errno));
  }
  return nullptr;
}

// Whether it is the first of the descriptors that share its offset.
bool is_first(const HeldResource& resource) {
  const HeldResource* at = held_resources();
  while (at != &resource && (at->saved == nullptr || at->description != resource.description)) {
    at = at->next;
  }
  return at == &resource;
}

// A descriptor that is already open here and shares the offset; or -1.
int open_sibling(const HeldResource& resource) {
  for (const HeldResource* at = held_resources(); at != nullptr; at = at->next) {
    if (at->description == resource.description && at->saved != nullptr && at->saved->is_open) {
      return descriptor_of(*at);
    }
  }
  return -1;
}

// Opens the file again at its offset, under any number. -1: `why` says what is wrong.
int open_again(const SavedFile& saved, bool from_image, const char*& why) {
  if (names_other_file(saved.status, saved.path)) {
    why = file_text("file '%s' is not the one that it had open", saved.path);
    return -1;
  }
  const int descriptor = WEFT_OF_PROCESS(open)(saved.path, saved.flags | O_CLOEXEC);
  if (descriptor < 0) {
    why = file_text("file '%s' cannot be opened again: %s", saved.path, strerror(errno));
    return -1;
  }
  struct statx now = {};
  if (!read_status(descriptor, "", now) || !are_same(saved.status, now) ||
      (!from_image && !saved.has_other_hosts && !are_on_same_device(saved.status, now))) {
    why = file_text("file '%s' is not the one that it had open", saved.path);
  } else if (from_image) {
    why = obstacle_to_roll_back(saved, now);
  }
  if (why == nullptr && WEFT_OF_PROCESS(lseek)(descriptor, saved.offset, SEEK_SET) < 0) {
    why = file_text("file '%s' cannot be opened at byte %lld: %s", saved.path, static_cast<long long>(saved.offset),
                    strerror(errno));
  }
  if (why != nullptr) {
    WEFT_OF_PROCESS(close)(descriptor);
    return -1;
  }
  return descriptor;
}

const char* reopen(const HeldResource& resource, bool from_image) {
  SavedFile& saved = *resource.saved;
  const char* why = nullptr;
  const int sibling = open_sibling(resource);
  const int descriptor = sibling >= 0 ? sibling : open_again(saved, from_image, why);
  if (descriptor < 0) {
    return why;
  }
  const int number = descriptor_of(resource);
  if (duplicate_at(descriptor, number, saved.close_on_exec) != number) {
    why = file_text("file '%s': its descriptor %d %s", saved.path, number,
                    errno == EBUSY ? "is in use in this process" : strerror(errno));
  }
  if (sibling < 0) {
    WEFT_OF_PROCESS(close)(descriptor);
  }
  saved.is_open = why == nullptr;
  return why;
}

}  // namespace

bool may_be_carried(const HeldResource& resource) {
  const int descriptor = descriptor_of(resource);
  struct stat status = {};
  return descriptor >= 0 && resource.description != 0 && is_own_number(descriptor) &&
         WEFT_OF_PROCESS(fstat)(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

bool why_file_stays(const HeldResource& resource, bool several_hosts, char* reason, size_t size) {
  keeps_other_hosts = several_hosts;
  const int descriptor = descriptor_of(resource);
  char path[kPath];
  const char* why = find_path(descriptor, path) ? obstacle(descriptor, path, several_hosts) : "has no path";
  if (resource.locked) {
    why = "is locked";
  } else if (resource.kind == ResourceKind::kStream &&
             has_characters_pushed_back(reinterpret_cast<const FILE*>(resource.key))) {
    why = "has characters pushed back";
  }
  if (why != nullptr) {
    strip_deleted_suffix(path);
    snprintf(reason, size, "file '%.200s' %s", path, why);
  }
  return why != nullptr;
}

}  // namespace weft::shim

WEFT_RANK_EXPORT void weft_shim_save_files();
WEFT_RANK_EXPORT const char* weft_shim_reopen_files(int from_image);
WEFT_RANK_EXPORT const char* weft_shim_truncate_files();

void weft_shim_save_files() {
  using namespace weft::shim;
  for (HeldResource* at = held_resources(); at != nullptr; at = at->next) {
    if (at->kind == ResourceKind::kStream && is_ranks_own(reinterpret_cast<FILE*>(at->key))) {
      forget_characters_read(reinterpret_cast<FILE*>(at->key));
    }
    free(at->saved);
    at->saved = may_be_carried(*at) ? save(descriptor_of(*at)) : nullptr;
  }
  note_mapped_files();
}

void weft::shim::close_carried_files() {
  for (const HeldResource* at = held_resources(); at != nullptr; at = at->next) {
    if (at->saved != nullptr) {
      WEFT_OF_PROCESS(close)(descriptor_of(*at));
    }
  }
}

const char* weft_shim_reopen_files(int from_image) {
  using namespace weft::shim;
  const char* why = nullptr;
  for (const HeldResource* at = held_resources(); at != nullptr && why == nullptr; at = at->next) {
    if (at->saved != nullptr) {
      why = reopen(*at, from_image != 0);
    } else if (descriptor_of(*at) >= 0) {
      why = file_text("file '%.200s' could not be noted before: there was no memory", at->name);
    }
  }
  return why != nullptr ? why : map_files_again();
}

const char* weft_shim_truncate_files() {
  using namespace weft::shim;
  const char* why = nullptr;
  for (const HeldResource* at = held_resources(); at != nullptr && why == nullptr; at = at->next) {
    if (at->saved != nullptr && is_first(*at)) {
      why = roll_back(*at->saved, descriptor_of(*at));
    }
  }
  return why;
}
