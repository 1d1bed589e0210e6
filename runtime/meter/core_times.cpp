#include "runtime/meter/core_times.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>

namespace weft::runtime {
inline namespace meter {
namespace {

enum Field : std::uint8_t { kUser, kNice, kSystem, kIdle, kDiskWait, kInterrupts, kSoftInterrupts, kStolen, kFields };

std::string_view next_word(std::string_view& line) {
  const std::size_t start = line.find_first_not_of(' ');
  line.remove_prefix(start == std::string_view::npos ? line.size() : start);
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

template <typename Number>
bool parse(std::string_view word, Number& value) {
  return std::from_chars(word.data(), word.data() + word.size(), value).ec == std::errc{};
}

}  // namespace

CoreTable parse_core_times(std::string_view text, double tick) {
  CoreTable table;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string_view name = next_word(line);
    std::uint32_t core = 0;
    if (!name.starts_with("cpu") || !parse(name.substr(3), core)) {
      continue;
    }
    std::array<std::uint64_t, kFields> fields{};
    for (std::uint64_t& field : fields) {
      parse(next_word(line), field);
    }
    table[core] = {.idle = tick * static_cast<double>(fields[kIdle] + fields[kDiskWait]),
                   .stolen = tick * static_cast<double>(fields[kStolen])};
  }
  return table;
}

CoreTable read_core_times() {
  std::ifstream file("/proc/stat");
  std::string text;
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    text += line + '\n';
  }
  return parse_core_times(text, 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

}  // namespace meter
}  // namespace weft::runtime
