// Parses words and numbers of the texts that the launcher, its proxies and its processes send each other.
#pragma once

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace weft::bootstrap {

// Removes the first word from the text, whose words are separated by colons.
inline std::string_view next_word(std::string_view& text) {
  const auto word = text.substr(0, text.find(':'));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return word;
}

// Throws std::runtime_error where the word is no number.
template <typename Number>
Number number_of(std::string_view word) {
  Number number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) {
    throw std::runtime_error("what weftrun says to its processes is damaged: use one version of Weft on all hosts");
  }
  return number;
}

template <typename Number>
Number next_number(std::string_view& text) {
  return number_of<Number>(next_word(text));
}

}  // namespace weft::bootstrap
