#include "runtime/lbstep/ram_files.hpp"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>

namespace weft::runtime {
inline namespace lbstep {
namespace {

constexpr std::size_t kMost = 2;

}  // namespace

RamFiles::~RamFiles() {
  for (const Mapping& mapping : mappings_) {
    munmap(mapping.bytes.data(), mapping.bytes.size());
  }
}

std::span<std::byte> RamFiles::mapped(int descriptor) {
  struct stat file {};
  if (fstat(descriptor, &file) != 0) {
    return {};
  }
  const auto found = std::find_if(mappings_.begin(), mappings_.end(), [&](const Mapping& mapping) {
    return mapping.device == file.st_dev && mapping.inode == file.st_ino;
  });
  // Pages beyond the file's end are mapped too, and must not be touched.
  return found == mappings_.end()
             ? std::span<std::byte>()
             : found->bytes.first(std::min(found->bytes.size(), static_cast<std::size_t>(file.st_size)));
}

void RamFiles::keep(int descriptor) {
  struct stat file {};
  struct statfs system {};
  if (fstat(descriptor, &file) != 0 || fstatfs(descriptor, &system) != 0 || system.f_type != TMPFS_MAGIC ||
      file.st_size == 0) {
    return;
  }
  const auto size = static_cast<std::size_t>(file.st_size);
  if (mapped(descriptor).size() >= size - size / 4) {
    return;
  }
  std::erase_if(mappings_, [&](const Mapping& mapping) {
    const bool is_it = mapping.device == file.st_dev && mapping.inode == file.st_ino;
    return is_it && munmap(mapping.bytes.data(), mapping.bytes.size()) == 0;
  });
  if (mappings_.size() == kMost) {
    munmap(mappings_.front().bytes.data(), mappings_.front().bytes.size());
    mappings_.erase(mappings_.begin());
  }
  void* const place = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (place != MAP_FAILED) {
    mappings_.push_back({file.st_dev, file.st_ino, {static_cast<std::byte*>(place), size}});
  }
}

}  // namespace lbstep
}  // namespace weft::runtime
