// One table of options describes a command: it parses arguments and environment, and prints the help
// (options_text.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace weft::base {

enum class OptionKind : std::uint8_t {
  kFlag,     // no value on the command line; yes or no in the environment
  kYesNo,    // yes, no, on, off, true, false, 1, 0
  kInteger,  // within [low, high]
  kSize,     // bytes, with a suffix K, M, G or T (powers of 1024), within [low, high]
  kText,
  kChoice,   // one of `choices`
  kList,     // may be repeated; each value holds one or several, separated by commas; an empty variable is none
  kRepeat,   // may be repeated; a value is taken as it is
  kPair,     // two values, kept as NAME=VALUE; may be repeated
  kIgnored,  // accepted for other launchers' sake, with as many values as words in `value`
  kRefused,  // another launcher's, which throws OptionError with `help`: what to use instead
};

struct Option {
  std::string_view name;     // without dashes; empty: only the environment variable exists
  std::string_view aliases;  // other spellings, separated by spaces
  std::string_view env;      // environment variable; empty: none
  OptionKind kind;
  std::string_view fallback;  // default, as a user would write it; empty: none
  std::string_view value;     // the value's name in the help, e.g. "BYTES"
  std::string_view help;      // one or two sentences; empty: not shown
  std::int64_t low = 0;       // range of kInteger and kSize; low == high: any
  std::int64_t high = 0;
  std::string_view choices = {};
};

// A mistake of the user. The message is one line, without the command's name.
class OptionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class OptionOrigin : std::uint8_t { kDefault, kEnvironment, kArgument };

// The values of a table's options. Names are the table's; any other name is a bug and stops the program.
class OptionValues {
 public:
  explicit OptionValues(std::span<const Option> table);

  [[nodiscard]] OptionOrigin origin(std::string_view name) const { return entry(name).origin; }
  [[nodiscard]] bool given(std::string_view name) const { return origin(name) != OptionOrigin::kDefault; }
  // False or empty where there is no default.
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const { return entry(name).text; }
  [[nodiscard]] const std::vector<std::string>& list(std::string_view name) const { return entry(name).list; }
  // REQUIRES: a default or a given value.
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] std::uint64_t size(std::string_view name) const;
  // The options of other launchers that were accepted without effect, as the user wrote them.
  [[nodiscard]] const std::vector<std::string>& ignored() const { return ignored_; }

  // Checks `value` and keeps it; throws OptionError that begins with `where` (the option as the user wrote it).
  void set(const Option& option, std::string_view where, std::string_view value, OptionOrigin origin);
  void note_ignored(std::string_view where) { ignored_.emplace_back(where); }

 private:
  struct Entry {
    const Option* option;
    OptionOrigin origin = OptionOrigin::kDefault;
    std::string text;
    std::vector<std::string> list;
  };
  [[nodiscard]] const Entry& entry(std::string_view name) const;

  std::map<std::string, Entry, std::less<>> entries_;  // by name, or by variable where there is no name
  std::vector<std::string> ignored_;
};

// Reads options up to the first other argument or "--"; returns the remaining arguments. `--name value`,
// `--name=value`, one dash or two, and `-n4` for one-letter names. Throws OptionError, which suggests the nearest name
// for an unknown one.
std::vector<std::string> parse_arguments(std::span<const Option> table, std::span<const char* const> arguments,
                                         OptionValues& values);

// Reads the variables of the table out of `environment` (NAME=VALUE); an argument on the command line wins. A
// variable that begins with `prefix` and is not in the table throws OptionError with the nearest name.
void parse_environment(std::span<const Option> table, std::span<const char* const> environment, std::string_view prefix,
                       OptionValues& values);

// Bytes of "64", "8K", "8M", "2GiB"; throws OptionError.
std::uint64_t parse_size(std::string_view text);
// True for yes, on, true, 1 and y; false for no, off, false, 0, n and none. Throws OptionError for other texts.
bool parse_yes_no(std::string_view text);

// Edits (insert, remove, replace, swap of neighbours) between two words; letters' case counts.
std::size_t edit_distance(std::string_view a, std::string_view b);
// The word of `words` with the smallest edit distance, if that is small enough for a typing mistake; else empty.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words);
// The words between separators, without empty ones. They are views of `text`.
std::vector<std::string_view> split_words(std::string_view text, char separator = ' ');

}  // namespace weft::base
