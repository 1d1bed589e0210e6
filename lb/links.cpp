#include "lb/links.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/options.hpp"

namespace weft::lb {
namespace {

double number_of(std::string_view word, std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !(value >= 0.0) || std::isinf(value)) {
    throw base::OptionError("'" + std::string(text) +
                            "' is not five pairs US:NS, as 0.08:0.01,0.15:0.02,0.3:0.04,1:0.2,20:1");
  }
  return value;
}

}  // namespace

Links parse_links(std::string_view text) {
  const std::vector<std::string_view> pairs = base::split_words(text, ',');
  Links links;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::string_view pair = pairs.size() == links.size() ? pairs[i] : std::string_view();
    const std::size_t colon = pair.find(':');
    const bool whole = colon != std::string_view::npos;
    links[i].seconds_per_message = number_of(pair.substr(0, whole ? colon : 0), text) * 1e-6;
    links[i].seconds_per_byte = number_of(pair.substr(whole ? colon + 1 : 0), text) * 1e-9;
  }
  return links;
}

std::string text_of(const Links& links) {
  std::string text;
  for (const Link& link : links) {
    std::array<char, 64> pair{};
    std::snprintf(pair.data(), pair.size(), "%s%.3g:%.3g", text.empty() ? "" : ",", link.seconds_per_message * 1e6,
                  link.seconds_per_byte * 1e9);
    text += pair.data();
  }
  return text;
}

}  // namespace weft::lb
