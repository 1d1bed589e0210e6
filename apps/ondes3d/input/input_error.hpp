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
[[nodiscard]] inline std::string in_quotes(std::string_view words) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = words.find_first_not_of(kBlank);
  std::string text("\"");
  if (first != std::string_view::npos) {
    text += words.substr(first, words.find_last_not_of(kBlank) - first + 1);
  }
  text += '"';
  return text;
}

// The text with \xNN for each control character but line ends and tabs: what a file or an argument holds moves no
// cursor and changes no colour of the terminal.
[[nodiscard]] inline std::string printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if ((byte < 0x20 && letter != '\n' && letter != '\t') || byte == 0x7f) {
      shown += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
    } else {
      shown += letter;
    }
  }
  return shown;
}

}  // namespace ondes3d
