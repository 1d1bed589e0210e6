// Makes text from files and arguments safe to print on a terminal.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::base {

// The length of the control character at the beginning of the text, U+0080 to U+009F included: 0, 1 or 2 bytes. Line
// ends and tabs are not counted as control characters.
std::size_t control_bytes(std::string_view text) noexcept;
// \xNN
std::array<char, 4> escaped(char byte) noexcept;

// The text with \xNN for each byte of its control characters, so that a message which quotes a file or an argument
// cannot move the cursor or change colours. say() does this itself.
std::string printable(std::string_view text);

}  // namespace weft::base
