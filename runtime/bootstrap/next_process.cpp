#include "runtime/bootstrap/next_process.hpp"

#include <fmt/format.h>

#include "base/options.hpp"
#include "runtime/bootstrap/address_words.hpp"

namespace weft::bootstrap {

// The host comes last: an IPv6 address has colons.
std::string to_text(const std::vector<NextProcess>& processes) {
  std::string text;
  for (const NextProcess& process : processes) {
    const std::string before = process.before ? std::to_string(*process.before) : std::string();
    text += fmt::format("{}{}:{}:{}", text.empty() ? "" : ",", process.workers, before, process.host);
  }
  return text;
}

std::vector<NextProcess> parse_next_processes(std::string_view text) {
  std::vector<NextProcess> processes;
  for (std::string_view word : base::split_words(text, ',')) {
    NextProcess& process = processes.emplace_back();
    process.workers = next_number<std::uint32_t>(word);
    if (const std::string_view before = next_word(word); !before.empty()) {
      process.before = number_of<std::uint32_t>(before);
    }
    process.host = word;
  }
  return processes;
}

}  // namespace weft::bootstrap
