#include "base/quotes.hpp"

namespace weft::base {

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return word + "'";
}

}  // namespace weft::base
