// A file kept open and mapped read-only, and checked reads from its bytes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace weft::image {

// Bytes of an untrusted file. Every read is checked against the end; an invalid one throws LoadError with the file's
// name.
class Bytes {
 public:
  Bytes() = default;
  Bytes(std::string_view file, std::span<const std::byte> data) : file_(file), data_(data) {}

  std::size_t size() const { return data_.size(); }
  const std::byte* data() const { return data_.data(); }

  // The part [offset, offset + size); `what` names it in the error.
  Bytes part(std::uint64_t offset, std::uint64_t size, std::string_view what) const;
  // Everything from `offset` on.
  Bytes from(std::uint64_t offset, std::string_view what) const;

  // A copy of the T at `offset`, which need not be aligned.
  template <class T>
  T read(std::uint64_t offset, std::string_view what) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const Bytes bytes = part(offset, sizeof(T), what);
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  // The string at offset, which must end inside these bytes. The view lives as long as the file.
  std::string_view text(std::uint64_t offset, std::string_view what) const;

  [[noreturn]] void damaged(std::string_view what) const;

 private:
  std::string_view file_;
  std::span<const std::byte> data_;
};

// Constant after construction; the descriptor and the mapping close with it.
class MappedFile {
 public:
  explicit MappedFile(std::string path);  // throws LoadError if it cannot be opened, is no regular file or is empty
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  Bytes bytes() const { return {path_, data_}; }
  bool same_file(const MappedFile& other) const { return device_ == other.device_ && inode_ == other.inode_; }
  // Throws LoadError if the file was written to since it was opened.
  void check_unchanged() const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::span<const std::byte> data_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  timespec modified_ = {};
};

}  // namespace weft::image
