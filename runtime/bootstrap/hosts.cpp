#include "runtime/bootstrap/hosts.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/host_name.hpp"
#include "base/options.hpp"
#include "base/quotes.hpp"

namespace weft::bootstrap {
namespace {

struct Slots {
  std::string host;
  std::uint32_t count;
};

constexpr std::uint32_t kMostProcesses = 65536;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Accepts a name, an alias of ssh's configuration or an address, each also with USER@ in front. Rejects words that a
// program would take for an option.
bool is_host(std::string_view word) {
  const auto at = word.rfind('@');
  const std::string_view name = at == std::string_view::npos ? word : word.substr(at + 1);
  const auto begins_well = [](std::string_view part) { return !part.empty() && part.front() != '-'; };
  return begins_well(word.substr(0, at)) && begins_well(name) && std::ranges::any_of(name, is_letter_or_digit) &&
         std::ranges::all_of(word, [](char c) {
           return is_letter_or_digit(c) || std::string_view("._-:%[]@+").find(c) != std::string_view::npos;
         });
}

// Also accepts %ZONE, which names the interface of a link-local address.
bool is_ipv6(std::string_view text) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, std::string(text.substr(0, text.find('%'))).c_str(), &address) == 1;
}

// In ssh's form: without the brackets of an IPv6 address. Empty if a word that is no IPv6 address has a colon.
std::string plain_host(const std::string& host) {
  const auto name = host.rfind('@') + 1;  // 0 without one
  const std::string_view address = std::string_view(host).substr(name);
  if (address.starts_with('[') && address.ends_with(']') && is_ipv6(address.substr(1, address.size() - 2))) {
    return host.substr(0, name) + std::string(address.substr(1, address.size() - 2));
  }
  return address.find_first_of(":[]") == std::string_view::npos || is_ipv6(address) ? host : std::string();
}

Slots parse(const std::string& word) {
  auto parsed = parse_host_word(word);
  if (!parsed) {
    throw std::runtime_error("--hosts: expected a host's name, NAME:PROCESSES or [ADDRESS]:PROCESSES, not '" + word +
                             "'");
  }
  return {std::move(parsed->host), parsed->count.value_or(1)};
}

}  // namespace

std::optional<HostWord> parse_host_word(const std::string& word) {
  const bool is_address = is_ipv6(std::string_view(word).substr(word.rfind('@') + 1));
  const auto colon = is_address || word.ends_with(']') ? word.size() : std::min(word.rfind(':'), word.size());
  HostWord parsed{plain_host(word.substr(0, colon)), std::nullopt};
  if (colon < word.size()) {
    std::uint32_t count = 0;
    const char* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data() + colon + 1, end, count);
    if (error != std::errc{} || rest != end || count == 0 || count > kMostProcesses) {
      return std::nullopt;
    }
    parsed.count = count;
  }
  return is_host(parsed.host) ? std::optional(std::move(parsed)) : std::nullopt;
}

bool is_this_host(const std::string& name) {
  const auto mine = base::host_name();
  return name == "localhost" || name == "127.0.0.1" || name == "::1" || name == mine ||
         name == mine.substr(0, mine.find('.'));
}

std::vector<std::string> spread_over_hosts(const std::vector<std::string>& words, std::uint32_t processes) {
  std::vector<Slots> slots;
  for (const auto& word : words) {
    slots.push_back(parse(word));
  }
  if (slots.empty()) {
    slots.push_back({"localhost", std::max(processes, 1U)});
  }
  const auto sum = std::accumulate(slots.begin(), slots.end(), std::uint32_t{0},
                                   [](std::uint32_t so_far, const Slots& one) { return so_far + one.count; });
  const auto wanted = processes == 0 ? sum : processes;
  std::vector<std::uint32_t> counts(slots.size());
  for (std::uint32_t placed = 0; placed < wanted;) {
    for (std::size_t i = 0; i < slots.size() && placed < wanted; ++i) {
      const auto here = std::min(slots[i].count, wanted - placed);
      counts[i] += here;
      placed += here;
    }
  }
  std::vector<std::string> hosts;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    hosts.insert(hosts.end(), counts[i], slots[i].host);
  }
  return hosts;
}

std::vector<std::string> agent_command(std::string_view agent, const std::string& host) {
  constexpr std::string_view kHost = "%h";
  std::vector<std::string> command;
  bool named = false;
  for (const std::string_view word : base::split_words(agent)) {
    std::string text(word);
    for (auto at = text.find(kHost); at != std::string::npos; at = text.find(kHost, at + host.size())) {
      text.replace(at, kHost.size(), host);
      named = true;
    }
    command.push_back(std::move(text));
  }
  if (!named) {
    command.push_back(host);
  }
  return command;
}

std::string remote_line(const RemoteStart& start) {
  std::string script = "cd " + base::shell_word(start.folder) + " && env";
  for (const auto& setting : start.variables) {
    script += " " + base::shell_word(setting);
  }
  for (const auto& word : start.command) {
    script += " " + base::shell_word(word);
  }
  // The shell does not exec the program, so that its exit code tells which signal ended the program.
  script += "; exit $?";
  return "exec /bin/sh -c " + base::shell_word(script);
}

}  // namespace weft::bootstrap
