#include "input/number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace ondes3d {
namespace {

template <typename Number>
std::optional<Number> convert(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<double> to_number(std::string_view text) {
  const auto value = convert<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<int> to_integer(std::string_view text) { return convert<int>(text); }

std::string shown(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

}  // namespace ondes3d
