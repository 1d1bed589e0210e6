#include "runtime/placement/host_slots.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/options.hpp"
#include "base/quotes.hpp"
#include "runtime/bootstrap/hosts.hpp"

namespace weft::placement {
namespace {

using base::in_quotes;
using base::OptionError;

// A host of a list; `where` begins the error.
bootstrap::HostWord host_word(const std::string& where, const std::string& word) {
  if (word.starts_with('+') || word.starts_with('^')) {
    throw OptionError(where + in_quotes(word) + ": relative and excluded hosts are not known: name the hosts to use");
  }
  const auto parsed = bootstrap::parse_host_word(word);
  if (!parsed) {
    throw OptionError(where + "expected a host's name, NAME:SLOTS or [ADDRESS]:SLOTS, not " + in_quotes(word));
  }
  return *parsed;
}

std::uint32_t slots_of(const std::string& where, std::string_view value) {
  std::uint32_t slots = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), slots);
  if (error != std::errc{} || end != value.data() + value.size() || slots == 0 || slots > 65536) {
    throw OptionError(where + "expected from 1 to 65536 slots, not " + in_quotes(value));
  }
  return slots;
}

// Words between spaces and tabs; "slots = 2" is "slots=2".
std::vector<std::string> words_of(std::string_view line) {
  std::string text;
  for (const char letter : line.substr(0, line.find('#'))) {
    const bool is_space = letter == ' ' || letter == '\t' || letter == '\r';
    if (letter == '=') {
      text.erase(text.find_last_not_of(' ') + 1);
    }
    if (!is_space) {
      text += letter;
    } else if (!text.ends_with('=')) {
      text += ' ';
    }
  }
  std::vector<std::string> words;
  for (const std::string_view word : base::split_words(text)) {
    words.emplace_back(word);
  }
  return words;
}

void add_line(const std::string& where, const std::vector<std::string>& words, HostList& list) {
  bootstrap::HostWord host = host_word(where, words.front());
  for (auto word = words.begin() + 1; word != words.end(); ++word) {
    const auto equals = word->find('=');
    const std::string_view key = std::string_view(*word).substr(0, equals);
    if ((key != "slots" && key != "count" && key != "cpu") || equals == std::string::npos) {
      throw OptionError(where + in_quotes(key) + " has no meaning here: expected HOST, HOST slots=N or HOST:N");
    }
    if (host.count) {
      throw OptionError(where + "the slots of " + host.host + " are given twice");
    }
    host.count = slots_of(where, std::string_view(*word).substr(equals + 1));
  }
  list.add(host.host, host.count);
}

}  // namespace

void HostList::add(const std::string& host, std::optional<std::uint32_t> slots) {
  auto place = std::ranges::find(mentions_, host, &Mentions::host);
  if (place == mentions_.end()) {
    place = mentions_.insert(place, Mentions{.host = host});
  }
  ++place->count;
  place->slots += slots.value_or(1);
  place->says_slots = place->says_slots || slots.has_value();
}

std::vector<HostSlots> HostList::hosts() const {
  std::vector<HostSlots> hosts;
  const bool counts_words = std::ranges::any_of(mentions_, [](const Mentions& one) { return one.count > 1; });
  for (const Mentions& one : mentions_) {
    hosts.push_back({one.host, one.says_slots || counts_words ? std::optional(one.slots) : std::nullopt});
  }
  return hosts;
}

std::vector<HostSlots> parse_host_list(const std::vector<std::string>& words) {
  HostList list;
  for (const std::string& word : words) {
    const bootstrap::HostWord host = host_word("--host: ", word);
    list.add(host.host, host.count);
  }
  return list.hosts();
}

std::vector<HostSlots> parse_hostfile(std::string_view text, const std::string& name) {
  HostList list;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    ++number;
    if (const auto words = words_of(text.substr(0, end)); !words.empty()) {
      add_line("--hostfile: " + name + ":" + std::to_string(number) + ": ", words, list);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  auto hosts = list.hosts();
  if (hosts.empty()) {
    throw OptionError("--hostfile: " + name + " names no host");
  }
  return hosts;
}

std::vector<HostSlots> choose_hosts(const std::vector<HostSlots>& file, const std::vector<HostSlots>& wanted) {
  std::vector<HostSlots> chosen;
  for (const HostSlots& host : wanted) {
    const auto offered = std::ranges::find(file, host.host, &HostSlots::host);
    if (offered == file.end()) {
      throw OptionError("--host: " + host.host + " is not among the hosts of the hostfile or allocation");
    }
    if (host.slots && offered->slots && *host.slots > *offered->slots) {
      throw OptionError("--host: " + host.host + " has " + std::to_string(*offered->slots) +
                        " slots in the hostfile or allocation, not " + std::to_string(*host.slots));
    }
    chosen.push_back({host.host, host.slots ? host.slots : offered->slots});
  }
  return chosen;
}

}  // namespace weft::placement
