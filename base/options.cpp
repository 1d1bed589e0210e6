#include "base/options.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <ranges>
#include <utility>

#include "base/check.hpp"
#include "base/quotes.hpp"

namespace weft::base {
namespace {

std::string_view key_of(const Option& option) { return option.name.empty() ? option.env : option.name; }

std::int64_t parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw OptionError("expected a whole number, not " + in_quotes(text));
  }
  return number;
}

void check_range(const Option& option, std::int64_t number) {
  if (option.low == option.high || (number >= option.low && number <= option.high)) {
    return;
  }
  throw OptionError("expected a value from " + std::to_string(option.low) + " to " + std::to_string(option.high) +
                    ", not " + std::to_string(number));
}

void check_choice(const Option& option, std::string_view value) {
  const auto choices = split_words(option.choices);
  if (std::ranges::find(choices, value) != choices.end()) {
    return;
  }
  const auto near = nearest_word(value, choices);
  throw OptionError(in_quotes(value) + " is not one of: " + std::string(option.choices) +
                    (near.empty() ? "" : "; did you mean " + in_quotes(near) + "?"));
}

void check_value(const Option& option, std::string_view value) {
  switch (option.kind) {
    case OptionKind::kFlag:
    case OptionKind::kYesNo:
      parse_yes_no(value);
      break;
    case OptionKind::kInteger:
      check_range(option, parse_integer(value));
      break;
    case OptionKind::kSize:
      check_range(option, static_cast<std::int64_t>(parse_size(value)));
      break;
    case OptionKind::kChoice:
      check_choice(option, value);
      break;
    default:
      break;
  }
}

bool is_repeated(OptionKind kind) {
  return kind == OptionKind::kList || kind == OptionKind::kRepeat || kind == OptionKind::kPair;
}

const Option* find_option(std::span<const Option> table, std::string_view word) {
  const auto it = std::ranges::find_if(table, [&](const Option& option) {
    return !option.name.empty() && (option.name == word || std::ranges::count(split_words(option.aliases), word) != 0);
  });
  return it == table.end() ? nullptr : &*it;
}

[[noreturn]] void unknown_option(std::span<const Option> table, std::string_view argument, std::string_view word) {
  std::vector<std::string_view> words;
  for (const auto& option : table) {
    if (!option.name.empty() && !option.help.empty() && option.kind != OptionKind::kRefused) {
      words.push_back(option.name);
      std::ranges::copy(split_words(option.aliases), std::back_inserter(words));
    }
  }
  const auto near = nearest_word(word, words);
  throw OptionError(
      "unknown option " + in_quotes(argument) +
      (near.empty() ? "" : "; did you mean " + in_quotes((near.size() > 1 ? "--" : "-") + std::string(near)) + "?") +
      " (--help lists all)");
}

// Walks over the arguments; a value is either behind '=' or the next argument.
class ArgumentReader {
 public:
  ArgumentReader(std::span<const Option> table, std::span<const char* const> arguments, OptionValues& values)
      : table_(table), arguments_(arguments), values_(values) {}

  std::vector<std::string> read() {
    while (next_ < arguments_.size()) {
      const std::string_view argument = arguments_[next_];
      if (argument.size() < 2 || argument.front() != '-') {
        break;
      }
      ++next_;
      if (argument == "--") {
        break;
      }
      read_option(argument);
    }
    return {arguments_.begin() + static_cast<std::ptrdiff_t>(next_), arguments_.end()};
  }

 private:
  void read_option(std::string_view argument) {
    const auto word = argument.substr(argument.starts_with("--") ? 2 : 1);
    const auto equals = word.find('=');
    auto name = word.substr(0, equals);
    inline_value_ = equals == std::string_view::npos ? nullptr : word.data() + equals + 1;
    const Option* option = find_option(table_, name);
    if (option == nullptr && word.size() > 1 && word[1] >= '0' && word[1] <= '9') {
      option = find_option(table_, word.substr(0, 1));
      name = word.substr(0, 1);
      inline_value_ = word.data() + 1;
    }
    if (option == nullptr) {
      unknown_option(table_, argument, name);
    }
    take_values(*option, argument.substr(0, static_cast<std::size_t>(name.data() - argument.data()) + name.size()));
  }

  void take_values(const Option& option, std::string_view where) {
    switch (option.kind) {
      case OptionKind::kFlag:
        values_.set(option, where, inline_value_ == nullptr ? "yes" : inline_value_, OptionOrigin::kArgument);
        break;
      case OptionKind::kPair: {
        const auto name = take(where);
        values_.set(option, where, name + "=" + take(where), OptionOrigin::kArgument);
        break;
      }
      case OptionKind::kRefused:
        throw OptionError(std::string(where) + " is not an option here: " + std::string(option.help));
      case OptionKind::kIgnored:
        for (std::size_t i = 0; i < split_words(option.value).size(); ++i) {
          take(where);
        }
        values_.note_ignored(where);
        break;
      default:
        values_.set(option, where, take(where), OptionOrigin::kArgument);
    }
  }

  std::string take(std::string_view where) {
    if (inline_value_ != nullptr) {
      return std::exchange(inline_value_, nullptr);
    }
    if (next_ == arguments_.size()) {
      throw OptionError(std::string(where) + ": a value is missing");
    }
    return arguments_[next_++];
  }

  std::span<const Option> table_;
  std::span<const char* const> arguments_;
  OptionValues& values_;
  std::size_t next_ = 0;
  const char* inline_value_ = nullptr;
};

}  // namespace

OptionValues::OptionValues(std::span<const Option> table) {
  for (const auto& option : table) {
    Entry entry{&option, OptionOrigin::kDefault, std::string(option.fallback), {}};
    if (!option.fallback.empty()) {
      check_value(option, option.fallback);
    }
    check(entries_.emplace(key_of(option), std::move(entry)).second, "two options of one name");
  }
}

const OptionValues::Entry& OptionValues::entry(std::string_view name) const {
  const auto it = entries_.find(name);
  check(it != entries_.end(), "an option that is not in the table");
  return it->second;
}

bool OptionValues::flag(std::string_view name) const {
  const auto& value = text(name);
  return !value.empty() && parse_yes_no(value);
}

std::int64_t OptionValues::integer(std::string_view name) const { return parse_integer(text(name)); }

std::uint64_t OptionValues::size(std::string_view name) const { return parse_size(text(name)); }

void OptionValues::set(const Option& option, std::string_view where, std::string_view value, OptionOrigin origin) {
  try {
    check_value(option, value);
  } catch (const OptionError& error) {
    throw OptionError(std::string(where) + ": " + error.what());
  }
  auto& entry = entries_.find(key_of(option))->second;
  if (is_repeated(option.kind)) {
    const auto parts = option.kind == OptionKind::kList ? split_words(value, ',') : std::vector{value};
    if (parts.empty() && (origin == OptionOrigin::kArgument || !value.empty())) {
      throw OptionError(std::string(where) + ": expected names between commas, not '" + std::string(value) + "'");
    }
    std::ranges::for_each(parts, [&](std::string_view part) { entry.list.emplace_back(part); });
  }
  entry.text = value;
  entry.origin = origin;
}

std::vector<std::string> parse_arguments(std::span<const Option> table, std::span<const char* const> arguments,
                                         OptionValues& values) {
  return ArgumentReader(table, arguments, values).read();
}

void parse_environment(std::span<const Option> table, std::span<const char* const> environment, std::string_view prefix,
                       OptionValues& values) {
  for (const std::string_view line : environment) {
    const auto name = line.substr(0, line.find('='));
    if (!name.starts_with(prefix) || name.size() == line.size()) {
      continue;
    }
    const auto it = std::ranges::find(table, name, &Option::env);
    if (it == table.end()) {
      std::vector<std::string_view> names;
      std::ranges::copy_if(table | std::views::transform(&Option::env), std::back_inserter(names),
                           [](std::string_view env) { return !env.empty(); });
      const auto near = nearest_word(name, names);
      throw OptionError("unknown environment variable " + in_quotes(name) +
                        (near.empty() ? "" : "; did you mean " + in_quotes(near) + "?") + " (--help lists all)");
    }
    if (values.origin(key_of(*it)) != OptionOrigin::kArgument) {
      values.set(*it, name, line.substr(name.size() + 1), OptionOrigin::kEnvironment);
    }
  }
}

std::uint64_t parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::string_view kLetters = "KMGT";
  unsigned shift = 0;
  if (!suffix.empty()) {
    const char letter = static_cast<char>(suffix.front() & ~0x20);
    const auto power = kLetters.find(letter);
    const auto rest = suffix.substr(1);
    if (power != std::string_view::npos && (rest.empty() || rest == "B" || rest == "iB" || rest == "b")) {
      shift = 10 * (static_cast<unsigned>(power) + 1);
    } else if (suffix != "B") {
      throw OptionError("expected a size such as 65536, 64K, 8M or 2G, not " + in_quotes(text));
    }
  }
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) >> shift;
  if (error != std::errc{} || number > most) {
    throw OptionError("expected a size such as 65536, 64K, 8M or 2G, not " + in_quotes(text));
  }
  return number << shift;
}

bool parse_yes_no(std::string_view text) {
  for (const std::string_view yes : {"yes", "on", "true", "1", "y"}) {
    if (text == yes) {
      return true;
    }
  }
  for (const std::string_view no : {"no", "off", "false", "0", "n", "none"}) {
    if (text == no) {
      return false;
    }
  }
  throw OptionError("expected yes or no, not " + in_quotes(text));
}

}  // namespace weft::base
