#include "runtime/image/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "runtime/image/load_error.hpp"

namespace weft::image {

void Bytes::damaged(std::string_view what) const {
  throw LoadError(std::string(file_) + ": damaged ELF file: " + std::string(what));
}

Bytes Bytes::part(std::uint64_t offset, std::uint64_t size, std::string_view what) const {
  if (offset > data_.size() || size > data_.size() - offset) {
    damaged(std::string(what) + " reaches past the end");
  }
  return {file_, data_.subspan(offset, size)};
}

Bytes Bytes::from(std::uint64_t offset, std::string_view what) const {
  return part(offset, offset <= data_.size() ? data_.size() - offset : 0, what);
}

std::string_view Bytes::text(std::uint64_t offset, std::string_view what) const {
  const Bytes rest = from(offset, what);
  const auto* begin = reinterpret_cast<const char*>(rest.data());
  const void* end = rest.size() == 0 ? nullptr : std::memchr(begin, 0, rest.size());
  if (end == nullptr) {
    damaged(std::string(what) + " is not terminated");
  }
  return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
}

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // opening a pipe must not wait for a writer
  if (descriptor_ < 0) {
    throw LoadError("cannot open " + path_ + ": " + std::strerror(errno));
  }
  struct stat facts = {};
  void* view = MAP_FAILED;
  if (fstat(descriptor_, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
    view = mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, descriptor_, 0);
  }
  if (view == MAP_FAILED) {
    close(descriptor_);
    throw LoadError(path_ + ": is not an ELF file (empty, or no regular file)");
  }
  data_ = {static_cast<const std::byte*>(view), static_cast<std::size_t>(facts.st_size)};
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  modified_ = facts.st_mtim;
}

MappedFile::~MappedFile() {
  munmap(const_cast<std::byte*>(data_.data()), data_.size());
  close(descriptor_);
}

void MappedFile::check_unchanged() const {
  struct stat now = {};
  const bool same = fstat(descriptor_, &now) == 0 && static_cast<std::size_t>(now.st_size) == data_.size() &&
                    now.st_mtim.tv_sec == modified_.tv_sec && now.st_mtim.tv_nsec == modified_.tv_nsec;
  if (!same) {
    throw LoadError(path_ +
                    ": was rewritten while the job runs; replace program files by renaming a new one over them");
  }
}

}  // namespace weft::image
