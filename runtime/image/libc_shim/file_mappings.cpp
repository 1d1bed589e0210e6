// Mappings of files that a rank only reads.
#include "runtime/image/libc_shim/file_mappings.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/image/libc_shim/found_files.hpp"
#include "runtime/image/libc_shim/held_resources.hpp"
#include "runtime/image/libc_shim/mapped_ranges.hpp"
#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

constexpr size_t kPage = 4096;
// The most pieces that move with the rank: each file costs system calls in each step, and each piece two of the
// kernel's mappings.
constexpr size_t kMost = 64;

struct FileMapping {
  struct statx status;
  char* begin;  // address of byte `offset` of the file
  off_t offset;
  int flags;    // of mmap(2)
  bool locked;  // has been locked by a descriptor, which may be closed by now
  char path[1];
};

MappedRange<FileMapping*>* files;

size_t whole_pages(size_t n) { return (n + kPage - 1) & ~(kPage - 1); }

// True if the mapping's contents are always those of the file.
bool is_only_read(const NewMapping& wanted) {
  constexpr int kWithoutMeaning = MAP_NORESERVE | MAP_POPULATE | MAP_LOCKED | MAP_DENYWRITE | MAP_EXECUTABLE;
  const int kind = wanted.flags & ~kWithoutMeaning;
  return wanted.bytes != 0 && wanted.bytes <= PTRDIFF_MAX && wanted.protection == PROT_READ &&
         (kind == MAP_SHARED || kind == MAP_PRIVATE);
}

// Null: there is no memory.
FileMapping* with_path(const FileMapping& file, const char* path) {
  auto* const copy = static_cast<FileMapping*>(malloc(sizeof(FileMapping) + strlen(path)));
  if (copy != nullptr) {
    *copy = file;
    strcpy(copy->path, path);
  }
  return copy;
}

// Whether one of the descriptors that share the open file locks it.
bool is_locked(int descriptor) {
  const HeldResource* const its = resource_of(descriptor);
  const HeldResource* at = its == nullptr ? nullptr : held_resources();
  while (at != nullptr &&
         !(at->locked && (at == its || (at->description != 0 && at->description == its->description)))) {
    at = at->next;
  }
  return at != nullptr;
}

// Null if it is no file with a path, or there is no memory.
FileMapping* describe(const NewMapping& wanted) {
  char path[kPath];
  struct statx status = {};
  if (!read_status(wanted.descriptor, "", status) || !S_ISREG(status.stx_mode) || !find_path(wanted.descriptor, path) ||
      has_huge_pages(status, path)) {
    return nullptr;
  }
  return with_path({.status = status,
                    .begin = nullptr,
                    .offset = wanted.offset,
                    .flags = wanted.flags & ~(MAP_POPULATE | MAP_LOCKED),  // not again
                    .locked = is_locked(wanted.descriptor),
                    .path = {}},
                   path);
}

// Where the heap must end.
char* end_of_heap() {
  char* end = heap_limit();
  for (const auto* at = files; at != nullptr; at = at->next) {
    end = at->begin < end ? at->begin : end;
  }
  const char* const top = heap_top();
  for (const auto* at = other_ranges(); at != nullptr; at = at->next) {
    end = at->begin >= top && at->begin < end ? at->begin : end;
  }
  return end;
}

// The begin of a mapping in the range; null if there is none.
char* begin_of_mapped(const char* begin, const char* end) {
  if (const auto* const file = find_overlapping(files, begin, end); file != nullptr) {
    return file->begin;
  }
  const auto* const other = find_overlapping(other_ranges(), begin, end);
  return other == nullptr ? nullptr : other->begin;
}

// Takes the highest addresses without a mapping from the heap. Null if the heap needs them.
char* take_addresses(size_t bytes) {
  char* end = heap_limit();
  while (bytes < static_cast<size_t>(end - weft_shim_info.heap)) {
    char* const place = end - bytes;
    char* const mapped = begin_of_mapped(place, end);
    if (mapped == nullptr) {
      return end_heap_before(place) ? place : nullptr;
    }
    end = mapped;
  }
  return nullptr;
}

// Null: there is no memory, or the kernel refuses.
char* place_file(FileMapping* file, size_t bytes, const auto& map) {
  char* const place = take_addresses(bytes);
  if (place == nullptr) {
    return nullptr;
  }
  if (map(place) && add(files, place, place + bytes, file)) {
    file->begin = place;
    return place;
  }
  cover(place, place + bytes);
  end_heap_at_mappings();
  return nullptr;
}

// The first piece of the next file: pieces of one file are consecutive in the list.
const MappedRange<FileMapping*>* next_file(const MappedRange<FileMapping*>* at) {
  const FileMapping* const file = at->of;
  while (at != nullptr && at->of == file) {
    at = at->next;
  }
  return at;
}

// `first`: the first piece of the file.
const char* map_again(const MappedRange<FileMapping*>& first) {
  const FileMapping& file = *first.of;
  if (names_other_file(file.status, file.path)) {
    return file_text("file '%s' is not the one that it had mapped", file.path);
  }
  const int descriptor = WEFT_OF_PROCESS(open)(file.path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return file_text("file '%s' cannot be opened to map it again: %s", file.path, strerror(errno));
  }
  struct statx now = {};
  const char* why = nullptr;
  if (!read_status(descriptor, "", now) || now.stx_size < file.status.stx_size) {
    why =
        file_text("file '%s' has %llu bytes; it had %llu, and the rank has it mapped", file.path,
                  static_cast<unsigned long long>(now.stx_size), static_cast<unsigned long long>(file.status.stx_size));
  }
  for (const auto* at = &first; at != nullptr && at->of == first.of && why == nullptr; at = at->next) {
    if (WEFT_OF_PROCESS(mmap)(at->begin, static_cast<size_t>(at->end - at->begin), PROT_READ, file.flags | MAP_FIXED,
                              descriptor, file.offset + (at->begin - file.begin)) == MAP_FAILED) {
      why = file_text("file '%s' cannot be mapped again: %s", file.path, strerror(errno));
    }
  }
  WEFT_OF_PROCESS(close)(descriptor);
  return why;
}

void free_unused(FileMapping* file) {
  if (!has_parts(files, file)) {
    free(file);
  }
}

// Treats all pieces of the file as other ranges, which keep the rank in its process. False if there is no memory.
bool let_stay(FileMapping* file) {
  bool is_done = true;
  for (auto* at = files; at != nullptr && is_done;) {
    if (at->of != file) {
      at = at->next;
      continue;
    }
    take_out(other_ranges(), at->begin, at->end, [](char*, char*, char*) {});
    is_done = add(other_ranges(), at->begin, at->end, static_cast<char*>(nullptr));
    take_out(files, at->begin, at->end, [](char*, char*, FileMapping*) {});
    at = files;
  }
  free_unused(file);
  return is_done;
}

}  // namespace

bool cover(char* begin, char* end) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  const auto bytes = static_cast<size_t>(end - begin);
  return WEFT_OF_PROCESS(mmap)(begin, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0) != MAP_FAILED;
}

void* map_file(const NewMapping& wanted) {
  const int before = errno;
  const bool is_wanted = is_only_read(wanted) && length(files) < kMost;
  FileMapping* const file = is_wanted ? describe(wanted) : nullptr;
  char* place = nullptr;
  if (file != nullptr) {
    place = place_file(file, whole_pages(wanted.bytes), [&wanted](char* address) {
      return WEFT_OF_PROCESS(mmap)(address, wanted.bytes, PROT_READ, wanted.flags | MAP_FIXED, wanted.descriptor,
                                   wanted.offset) != MAP_FAILED;
    });
  }
  if (place == nullptr) {
    free(file);
    errno = before;
  }
  return place;
}

bool unmap_files(char* begin, char* end) {
  auto* const first = find_overlapping(files, begin, end);
  if (first == nullptr || begin == end) {
    return true;
  }
  if (first->begin < begin && end < first->end && length(files) >= kMost) {
    return let_stay(first->of) && cover(begin, end) && take_out(other_ranges(), begin, end, [](char*, char*, char*) {});
  }
  for (auto* at = first; at != nullptr; at = find_overlapping(at->next, begin, end)) {
    if (!cover(at->begin < begin ? begin : at->begin, at->end < end ? at->end : end)) {
      return false;
    }
  }
  return take_out(files, begin, end, [](char*, char*, FileMapping* file) { free_unused(file); });
}

namespace {

// Moves a mapping to an address that the process chooses; it is no longer tracked here. MAP_FAILED with errno.
void* move_out(char* old, size_t before, size_t bytes) {
  void* const place =
      WEFT_OF_PROCESS(mmap)(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) {
    return place;
  }
  void* const moved = WEFT_OF_PROCESS(mremap)(old, before, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  if (moved == MAP_FAILED) {
    const int why = errno;
    WEFT_OF_PROCESS(munmap)(place, bytes);
    errno = why;
  }
  return moved;
}

// Moves a mapping to a larger range behind the heap, if there is one.
void* move_along(const FileMapping& file, char* old, size_t before, size_t bytes) {
  FileMapping* const moved = with_path(file, file.path);
  if (moved == nullptr) {
    return MAP_FAILED;
  }
  moved->offset = file.offset + (old - file.begin);
  char* const place = place_file(moved, bytes, [&](char* address) {
    return WEFT_OF_PROCESS(mremap)(old, before, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, address) != MAP_FAILED;
  });
  if (place == nullptr) {
    free(moved);
  }
  return place == nullptr ? move_out(old, before, bytes) : place;
}

}  // namespace

void* resize_file(char* old, size_t before, size_t bytes, int flags, void* wanted) {
  const auto* const range = find_overlapping(files, old, old + 1);
  const bool is_aligned = reinterpret_cast<uintptr_t>(old) % kPage == 0;
  errno = EINVAL;
  if (range == nullptr || old + before > range->end || !is_aligned || bytes == 0 ||
      (flags & ~(MREMAP_MAYMOVE | MREMAP_FIXED)) != 0) {
    return MAP_FAILED;
  }
  errno = ENOMEM;
  if (flags == 0 || (flags == MREMAP_MAYMOVE && bytes <= before && before != 0)) {
    return bytes <= before && unmap_files(old + bytes, old + before) ? old : MAP_FAILED;
  }
  void* const place = (flags & MREMAP_FIXED) != 0 ? WEFT_OF_PROCESS(mremap)(old, before, bytes, flags, wanted)
                                                  : move_along(*range->of, old, before, bytes);
  if (place != MAP_FAILED && before != 0) {
    unmap_files(old, old + before);
  }
  return place;
}

bool has_file(const char* begin, const char* end) { return find_overlapping(files, begin, end) != nullptr; }

void end_heap_at_mappings() { end_heap_at(end_of_heap()); }

bool end_heap_before(char* begin) {
  char* const end = end_of_heap();
  return end_heap_at(begin < end ? begin : end);
}

void note_lock_of_file(int descriptor) {
  struct statx status = {};
  if (files == nullptr || !read_status(descriptor, "", status)) {
    return;
  }
  for (const auto* at = files; at != nullptr; at = next_file(at)) {
    at->of->locked = at->of->locked || are_same(at->of->status, status);
  }
}

const char* why_mapped_files_stay(bool several_hosts) {
  for (const auto* at = files; at != nullptr; at = next_file(at)) {
    const FileMapping& file = *at->of;
    const char* const why = file.locked ? "is locked" : why_not_found(file.status, file.path, R_OK, several_hosts);
    if (why != nullptr) {
      char path[kPath];
      strip_deleted_suffix(strcpy(path, file.path));
      return file_text("file '%.200s', which it has mapped, %s", path, why);
    }
  }
  return nullptr;
}

void note_mapped_files() {
  for (const auto* at = files; at != nullptr; at = next_file(at)) {
    struct statx now = {};
    if (read_status(AT_FDCWD, at->of->path, now)) {
      at->of->status.stx_size = now.stx_size;
    }
  }
}

const char* map_files_again() {
  const char* why = nullptr;
  for (const auto* at = files; at != nullptr && why == nullptr; at = next_file(at)) {
    why = map_again(*at);
  }
  return why;
}

}  // namespace weft::shim
