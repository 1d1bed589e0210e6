// A file that is written once from begin to end and complains when it cannot be.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ondes3d {

// Throws std::runtime_error, with the path, when the file cannot be opened or written.
class OutFile {
 public:
  explicit OutFile(std::string path);

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  // Call last: what was buffered may fail only now, on a full disk.
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

// As printf, into a string.
[[nodiscard, gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

}  // namespace ondes3d
