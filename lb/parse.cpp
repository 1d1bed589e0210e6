#include "lb/parse.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace weft::lb {
namespace {

// The shortest form.
std::string text_of(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace

NameAndArgument split_argument(std::string_view text) {
  const auto colon = text.find(':');
  return colon == std::string_view::npos ? NameAndArgument{text, {}}
                                         : NameAndArgument{text.substr(0, colon), text.substr(colon + 1)};
}

double parse_number(std::string_view name, std::string_view argument, double fallback, Range<double> range) {
  if (argument.empty()) {
    return fallback;
  }
  double value = 0.0;
  const auto* const last = argument.data() + argument.size();
  const auto [end, error] = std::from_chars(argument.data(), last, value);
  if (error != std::errc{} || end != last || !std::isfinite(value) || value < range.low || value > range.high) {
    refuse_argument(name, argument, "a number from " + text_of(range.low) + " to " + text_of(range.high));
  }
  return value;
}

std::uint64_t parse_count(std::string_view name, std::string_view argument, std::uint64_t fallback,
                          Range<std::uint64_t> range) {
  if (argument.empty()) {
    return fallback;
  }
  std::uint64_t value = 0;
  const auto* const last = argument.data() + argument.size();
  const auto [end, error] = std::from_chars(argument.data(), last, value);
  if (error != std::errc{} || end != last || value < range.low || value > range.high) {
    refuse_argument(name, argument,
                    "a whole number from " + std::to_string(range.low) + " to " + std::to_string(range.high));
  }
  return value;
}

void refuse_name(std::string_view kind, std::string_view name, std::span<const std::string_view> names) {
  const auto near = base::nearest_word(name, names);
  throw base::OptionError("there is no " + std::string(kind) + " '" + std::string(name) + "'" +
                          (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
}

void refuse_argument(std::string_view name, std::string_view argument, std::string_view expected) {
  throw base::OptionError(std::string(name) + ": expected " + std::string(expected) + ", not '" +
                          std::string(argument) + "'");
}

}  // namespace weft::lb
