#include "output/out_file.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace ondes3d {

OutFile::OutFile(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
  if (!file_) {
    fail();
  }
}

void OutFile::write(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    fail();
  }
}

void OutFile::close() {
  if (std::fclose(file_.release()) != 0) {
    fail();
  }
}

void OutFile::fail() const { throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno)); }

std::string format(const char* pattern, ...) {
  std::va_list list;
  std::va_list again;
  va_start(list, pattern);
  va_copy(again, list);
  const int length = std::vsnprintf(nullptr, 0, pattern, list);
  va_end(list);
  std::string text(static_cast<std::size_t>(length), '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(again);
  return text;
}

}  // namespace ondes3d
