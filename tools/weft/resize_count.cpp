#include "tools/weft/resize_count.hpp"

#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

namespace weft::tools::weft_tool {

std::uint32_t resized_count(std::string_view text, std::uint32_t processes) {
  constexpr std::int64_t kMost = 100'000;
  const bool is_relative = text.starts_with('+') || text.starts_with('-');
  const std::string_view digits = is_relative ? text.substr(1) : text;
  if (text.starts_with('+') && digits.find(':') != std::string_view::npos) {
    throw std::runtime_error(fmt::format("'{}': a job cannot get processes on another host", text));
  }
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    throw std::runtime_error(
        fmt::format("'{}' is no number of processes: it is such as 3, or +1 for one more, or -1 for one fewer", text));
  }
  std::int64_t count = number;
  if (is_relative) {
    count = std::int64_t{processes} + (text.starts_with('+') ? count : -count);
  }
  if (count < 1 || count > kMost) {
    throw std::runtime_error(fmt::format("a job cannot have {} processes, but 1 to {}", count, kMost));
  }
  return static_cast<std::uint32_t>(count);
}

}  // namespace weft::tools::weft_tool
