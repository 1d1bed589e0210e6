// Texts of others on a terminal.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::base {

// How many bytes at the text's beginning are a control character, also one of UTF-8's second block: 0, 1 or 2. Line
// ends and tabs are none.
std::size_t control_bytes(std::string_view text) noexcept;
// \xNN
std::array<char, 4> escaped(char byte) noexcept;

// The text with \xNN for each byte of its control characters: what a file or an argument holds moves no cursor and
// changes no colour where a message repeats it. say() does this by itself.
std::string printable(std::string_view text);

}  // namespace weft::base
