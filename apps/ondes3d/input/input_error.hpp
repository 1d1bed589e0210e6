// What is wrong with an input file, in one line.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace ondes3d {

// "path:line: found X; expected Y"; line 0 is the file as a whole, which goes without a number
class InputError : public std::runtime_error {
 public:
  InputError(const std::string& path, int line, const std::string& found, const std::string& expected)
      : std::runtime_error(path + (line == 0 ? "" : ":" + std::to_string(line)) + ": found " + found + "; expected " +
                           expected) {}
};

// Words of a file as a message shows them, without the blanks around.
[[nodiscard]] inline std::string quoted(std::string_view words) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = words.find_first_not_of(kBlank);
  std::string text("\"");
  if (first != std::string_view::npos) {
    text += words.substr(first, words.find_last_not_of(kBlank) - first + 1);
  }
  text += '"';
  return text;
}

}  // namespace ondes3d
