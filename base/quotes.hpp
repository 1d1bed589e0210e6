// Text in quotes, for messages and for lines of shell.
#pragma once

#include <string>
#include <string_view>

namespace weft::base {

// 'text', as messages quote what a user has written.
std::string in_quotes(std::string_view text);

// `text` quoted so that a shell reads it as one word, whatever it contains.
std::string shell_word(std::string_view text);

}  // namespace weft::base
