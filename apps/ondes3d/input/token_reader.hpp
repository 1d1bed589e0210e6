// Reads a file of blank-separated words once, through one block of a megabyte, and knows the line of each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input/text_file.hpp"

namespace ondes3d {

class TokenReader {
 public:
  // Throws InputError when the file cannot be opened; `what` says what it should hold.
  TokenReader(std::string path, const std::string& what);

  // The rest of the current line, without its end.
  std::string line(const std::string& what);
  // The next word, valid until the next call. This and those below throw InputError naming `what` when there is none
  // or it is not what it should be.
  std::string_view word(const std::string& what);
  double number(const std::string& what);
  int integer(const std::string& what);
  // An integer that is at least `least`.
  int integer_from(int least, const std::string& what);
  // A number from `least` to `most`.
  double number_within(double least, double most, const std::string& what);
  // True when nothing but blanks follows.
  bool at_end() { return !skip_blanks(); }
  // Throws when anything but blanks follows; `what` is what the file has told so far: "the last of 3 stations".
  void expect_end(const std::string& what);

  [[noreturn]] void fail(const std::string& found, const std::string& expected) const;
  // Of the next character, from 1 on.
  [[nodiscard]] int line_number() const { return line_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  // False at the end of the file.
  bool skip_blanks();
  // Reads on behind what is left of the block, which moves to its front; false when there is no more.
  bool refill();

  std::string path_;
  TextFile file_;
  std::vector<char> block_;
  std::size_t next_ = 0;
  std::size_t end_ = 0;
  int line_ = 1;
};

}  // namespace ondes3d
