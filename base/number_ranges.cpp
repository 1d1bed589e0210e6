#include "base/number_ranges.hpp"

#include <cstddef>

namespace weft::base {

std::string number_ranges(std::span<const std::uint32_t> numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) {
      ++last;
    }
    text += text.empty() ? "" : ",";
    text += std::to_string(numbers[i]);
    text += last == i ? "" : "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace weft::base
