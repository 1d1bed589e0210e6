#include "tools/weft/resize_question.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "base/host_name.hpp"
#include "runtime/bootstrap/hosts.hpp"

namespace weft::tools::weft_tool {
namespace {

constexpr std::int64_t kMost = 100'000;

std::uint32_t checked_count(std::int64_t count) {
  if (count < 1 || count > kMost) {
    throw std::runtime_error(fmt::format("a job cannot have {} processes, but 1 to {}", count, kMost));
  }
  return static_cast<std::uint32_t>(count);
}

// `word` may be any name of this host, such as localhost: the job knows the host by its own name.
inspect::Question about_host(inspect::Change change, const std::string& word) {
  const std::string host = bootstrap::is_this_host(word) ? base::host_name() : word;
  inspect::Question question{.subject = inspect::Subject::resize, .change = change};
  if (host.empty() || host.size() >= question.host.size()) {
    throw std::runtime_error(fmt::format("'{}' is no name of a host", host));
  }
  std::ranges::copy(host, question.host.begin());
  return question;
}

std::optional<std::int64_t> number_in(std::string_view digits) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc{} && end == digits.data() + digits.size() ? std::optional<std::int64_t>(number)
                                                                      : std::nullopt;
}

}  // namespace

inspect::Question resize_question(std::string_view text, std::uint32_t processes) {
  const bool is_more = text.starts_with('+');
  const bool is_relative = is_more || text.starts_with('-');
  const std::string_view word = is_relative ? text.substr(1) : text;
  if (const auto number = number_in(word)) {
    const std::int64_t count = is_relative ? std::int64_t{processes} + (is_more ? *number : -*number) : *number;
    return {.subject = inspect::Subject::resize, .change = inspect::Change::count, .processes = checked_count(count)};
  }
  const bool is_host = is_more && word.find_first_of("+,") == std::string_view::npos && !word.starts_with('-');
  const auto host = is_host ? bootstrap::parse_host_word(std::string(word)) : std::nullopt;
  if (!host) {
    throw std::runtime_error(
        fmt::format("'{}' is no number of processes: it is such as 3, or +1 for one more, -1 for one fewer, or "
                    "+host:2 for two more on a host",
                    text));
  }
  inspect::Question question = about_host(inspect::Change::more_on_host, host->host);
  question.processes = host->count.value_or(1);
  checked_count(std::int64_t{processes} + question.processes);
  return question;
}

inspect::Question evacuate_question(const std::string& word) {
  const auto host = bootstrap::parse_host_word(word);
  if (!host || host->count) {
    throw std::runtime_error(fmt::format("'{}' is no name of a host", word));
  }
  return about_host(inspect::Change::leave_host, host->host);
}

}  // namespace weft::tools::weft_tool
