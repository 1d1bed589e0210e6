// A text file read once from front to back, plain or compressed with gzip.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace ondes3d {

class TextFile {
 public:
  // Throws InputError when the file cannot be opened, or is compressed and this build has no zlib; `what` says what it
  // should hold.
  TextFile(const std::string& path, const std::string& what);
  ~TextFile();
  TextFile(TextFile&&) noexcept;
  TextFile& operator=(TextFile&&) = delete;
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  // Up to `size` bytes; 0 at the end. Throws std::runtime_error when the disk or the compressed stream is broken.
  [[nodiscard]] std::size_t read(char* into, std::size_t size);

 private:
  struct Stream;
  std::string path_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace ondes3d
