// Parses "name:argument", the form of strategies, load models and rules of when. All errors are base::OptionError.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"

namespace weft::lb {

struct NameAndArgument {
  std::string_view name;
  std::string_view argument;  // empty: none
};
NameAndArgument split_argument(std::string_view text);

template <typename T>
struct Range {
  T low;
  T high;
};
// `fallback` where the argument is empty.
double parse_number(std::string_view name, std::string_view argument, double fallback, Range<double> range);
std::uint64_t parse_count(std::string_view name, std::string_view argument, std::uint64_t fallback,
                          Range<std::uint64_t> range);
[[noreturn]] void refuse_name(std::string_view kind, std::string_view name, std::span<const std::string_view> names);
[[noreturn]] void refuse_argument(std::string_view name, std::string_view argument, std::string_view expected);

// Finds the row with that name. Rows have `name` and `argument` (empty: takes none).
template <typename Row>
const Row& find_row(std::span<const Row> rows, std::string_view kind, const NameAndArgument& parsed) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) {
    if (row.name == parsed.name) {
      if (row.argument.empty() && !parsed.argument.empty()) {
        refuse_argument(row.name, parsed.argument, "no argument");
      }
      return row;
    }
    names.push_back(row.name);
  }
  refuse_name(kind, parsed.name, names);
}

}  // namespace weft::lb
