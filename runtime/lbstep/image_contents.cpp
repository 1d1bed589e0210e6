#include "runtime/lbstep/image_contents.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "runtime/lbstep/unseen_writers.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

constexpr std::size_t kFiles = 2;  // images use two files alternately

}  // namespace

FileContents& ImageContents::of(int descriptor) {
  struct stat its {};
  ::fstat(descriptor, &its);
  const auto found = std::ranges::find_if(
      files_, [&](const File& file) { return file.device == its.st_dev && file.inode == its.st_ino; });
  if (found != files_.end()) {
    return found->contents;
  }
  if (files_.size() == kFiles) {
    files_.pop_front();
  }
  return files_.emplace_back(File{.device = its.st_dev, .inode = its.st_ino}).contents;
}

void ImageContents::begin_image() {
  if (writes_are_seen_ && has_unseen_writers()) {
    writes_are_seen_ = false;
    trackers_.clear();
  }
}

void ImageContents::note_written(std::uint32_t rank, std::span<std::byte> space,
                                 std::span<const std::span<std::byte>> memory) {
  try {
    const std::span<std::byte> watched = writes_are_seen_ ? space : std::span<std::byte>();
    const AddressSet written = trackers_.try_emplace(rank, watch_).first->second.written(watched, memory);
    for (File& file : files_) {
      file.contents.note_changed(rank, written);
    }
  } catch (...) {
    forget(rank);  // the kernel does not report the pages a second time
    throw;
  }
}

void ImageContents::forget(std::uint32_t rank) {
  trackers_.erase(rank);
  for (File& file : files_) {
    file.contents.forget(rank);
  }
}

}  // namespace lbstep
}  // namespace weft::runtime
