#include "base/printable.hpp"

#include <algorithm>

namespace weft::base {

std::size_t control_bytes(std::string_view text) noexcept {
  const auto byte = static_cast<unsigned char>(text.empty() ? ' ' : text[0]);
  const auto next = static_cast<unsigned char>(text.size() > 1 ? text[1] : '\0');
  if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F
    return 2;
  }
  return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f ? 1 : 0;
}

std::array<char, 4> escaped(char byte) noexcept {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto number = static_cast<unsigned char>(byte);
  return {'\\', 'x', kDigits[number >> 4U], kDigits[number & 15U]};
}

std::string printable(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && control_bytes(text.substr(plain)) == 0) {
      ++plain;
    }
    line += text.substr(0, plain);
    text.remove_prefix(plain);
    const std::size_t control = control_bytes(text);
    for (const char byte : text.substr(0, control)) {
      const auto hidden = escaped(byte);
      line.append(hidden.data(), hidden.size());
    }
    text.remove_prefix(control);
  }
  return line;
}

}  // namespace weft::base
