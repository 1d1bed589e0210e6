// Reads a file of blank-separated words once, through a small buffer, and knows the line of each.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ondes3d {

class TokenReader {
 public:
  // Throws InputError when the file cannot be opened; `what` says what it should hold.
  TokenReader(std::string path, const std::string& what);

  // The rest of the current line, without its end.
  std::string line(const std::string& what);
  // The next word as a number; throws InputError naming `what` when there is none or it is none.
  double number(const std::string& what);
  int integer(const std::string& what);
  // An integer that is at least `least`.
  int integer_from(int least, const std::string& what);

  [[noreturn]] void fail(const std::string& found, const std::string& expected) const;

 private:
  std::string_view word(const std::string& what);
  int peek();

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> buffer_;
  std::size_t next_ = 0;
  std::size_t end_ = 0;
  int line_ = 1;
  std::string word_;
};

}  // namespace ondes3d
