#include "base/options_text.hpp"

#include <algorithm>

namespace weft::base {
namespace {

constexpr std::size_t kHelpColumn = 30;
constexpr std::size_t kHelpWidth = 100;

std::string dashed(std::string_view name) { return (name.size() == 1 ? "-" : "--") + std::string(name); }

// "-n, -np, --ranks N"
std::string spelling(const Option& option) {
  std::string text;
  for (const auto alias : split_words(option.aliases)) {
    text += (alias.size() <= 2 ? "-" : "--") + std::string(alias) + ", ";
  }
  text += dashed(option.name);
  return option.value.empty() ? text : text + " " + std::string(option.value);
}

// The help text, followed by the choices, the default and the variable.
std::string description(const Option& option, bool with_variable) {
  std::string text(option.help);
  if (!option.choices.empty()) {
    text += " One of: " + std::string(option.choices) + ".";
  }
  std::string facts;
  if (!option.fallback.empty()) {
    facts += "default " + std::string(option.fallback);
  }
  if (with_variable && !option.env.empty()) {
    facts += (facts.empty() ? "" : "; ") + std::string(option.env);
  }
  return facts.empty() ? text : text + " [" + facts + "]";
}

bool is_shown(const Option& option) {
  return !option.help.empty() && option.kind != OptionKind::kIgnored && option.kind != OptionKind::kRefused;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  for (const auto word : split_words(text)) {
    if (column > indent && column + 1 + word.size() > kHelpWidth) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string help_entry(const std::string& left, std::string_view right) {
  std::string line = "  " + left;
  if (line.size() + 2 > kHelpColumn) {
    line += "\n" + std::string(kHelpColumn, ' ');
  } else {
    line.resize(kHelpColumn, ' ');
  }
  return line + wrapped(right, kHelpColumn) + "\n";
}

std::string range_text(const Option& option) {
  if (option.low == option.high) {
    return "";
  }
  return std::to_string(option.low) + " … " + std::to_string(option.high);
}

std::string kind_text(const Option& option) {
  switch (option.kind) {
    case OptionKind::kFlag:
    case OptionKind::kYesNo:
      return "yes or no";
    case OptionKind::kInteger:
      return "number";
    case OptionKind::kSize:
      return "size";
    case OptionKind::kChoice:
      return std::string(option.choices);
    case OptionKind::kList:
      return "list";
    default:
      return "text";
  }
}

std::string man_escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '-') {
      result += "\\-";
    } else if (letter == '\\') {
      result += "\\e";
    } else {
      result += letter;
    }
  }
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

// Two sections on options of other launchers: those accepted without effect, and those refused.
std::string man_of_others(std::span<const Option> table) {
  std::string ignored;
  std::string refused;
  for (const auto& option : table) {
    if (option.kind == OptionKind::kIgnored) {
      ignored += (ignored.empty() ? "" : ", ") + spelling(option);
    } else if (option.kind == OptionKind::kRefused) {
      refused += ".TP\n.B " + man_escaped(spelling(option)) + "\n" + man_escaped(option.help) + "\n";
    }
  }
  std::string text;
  if (!ignored.empty()) {
    text += ".SH ACCEPTED WITHOUT EFFECT\nFor scripts written for other launchers: " + man_escaped(ignored) + ".\n";
  }
  return refused.empty() ? text : text + ".SH REFUSED\nOf other launchers, with what to use instead.\n" + refused;
}

std::string man_sections(std::string_view sections) {
  std::string text;
  for (const auto line : split_words(sections, '\n')) {
    const std::size_t tab = line.find('\t');
    if (line.starts_with('=')) {
      text += ".SH " + std::string(line.substr(1)) + "\n";
    } else if (tab != std::string_view::npos) {
      text += ".TP\n.B " + man_escaped(line.substr(0, tab)) + "\n" + man_escaped(line.substr(tab + 1)) + "\n";
    } else {
      text += ".PP\n" + man_escaped(line) + "\n";
    }
  }
  return text;
}

std::string table_cell(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    result += letter == '|' ? std::string("\\|") : std::string(1, letter);
  }
  return result.empty() ? "–" : result;
}

std::string code(std::string_view text) { return text.empty() ? "" : "`" + std::string(text) + "`"; }

}  // namespace

std::string render_help(const CommandText& command, std::span<const Option> table) {
  std::string text = std::string(command.name) + ": " + std::string(command.summary) +
                     "\n\nUsage: " + std::string(command.name) + " " + std::string(command.usage) + "\n\nOptions:\n";
  std::string variables;
  std::string ignored;
  std::string refused;
  for (const auto& option : table) {
    if (option.kind == OptionKind::kIgnored) {
      ignored += (ignored.empty() ? "" : ", ") + dashed(option.name);
    } else if (option.kind == OptionKind::kRefused) {
      refused += (refused.empty() ? "" : ", ") + dashed(option.name);
    } else if (option.name.empty() && is_shown(option)) {
      variables += help_entry(std::string(option.env), description(option, false));
    } else if (is_shown(option)) {
      text += help_entry(spelling(option), description(option, true));
    }
  }
  if (!variables.empty()) {
    text += "\nFurther environment variables:\n" + variables;
  }
  if (!ignored.empty()) {
    text += "\nAccepted without effect: " + wrapped(ignored, 0) + "\n";
  }
  if (!refused.empty()) {
    text += "\nRefused, with a line that says what to use instead: " + wrapped(refused, 0) + "\n";
  }
  if (!command.examples.empty()) {
    text += "\nExamples:\n";
    for (const auto line : split_words(command.examples, '\n')) {
      text += "  " + std::string(line) + "\n";
    }
  }
  return text;
}

std::string render_man(const CommandText& command, std::span<const Option> table) {
  const auto name = std::string(command.name);
  std::string text = ".TH " + name + " 1 \"\" \"" + name + " " + std::string(command.version) + "\"\n.SH NAME\n" +
                     name + " \\- " + man_escaped(command.summary) + "\n.SH SYNOPSIS\n.B " + name + "\n" +
                     man_escaped(command.usage) + "\n.SH DESCRIPTION\n";
  for (const auto line : split_words(command.details, '\n')) {
    text += man_escaped(line) + "\n.PP\n";
  }
  std::string variables;
  text += ".SH OPTIONS\n";
  for (const auto& option : table) {
    if (!is_shown(option)) {
      continue;
    }
    auto& place = option.name.empty() ? variables : text;
    const auto head = option.name.empty() ? std::string(option.env) : spelling(option);
    place += ".TP\n.B " + man_escaped(head) + "\n" + man_escaped(description(option, !option.name.empty())) + "\n";
  }
  if (std::ranges::any_of(table, [](const Option& option) { return !option.env.empty(); })) {
    text +=
        ".SH ENVIRONMENT\nEach option's variable is named with it; an option given as an argument wins.\n" + variables;
  }
  text += man_sections(command.sections) + man_of_others(table);
  if (command.examples.empty()) {
    return text;
  }
  text += ".SH EXAMPLES\n.nf\n";
  for (const auto line : split_words(command.examples, '\n')) {
    text += man_escaped(line) + "\n";
  }
  return text + ".fi\n";
}

std::string render_markdown(const CommandText& command, std::span<const Option> table) {
  const auto name = std::string(command.name);
  std::string text = "# Knobs\nEvery option of `" + name +
                     "`, its environment variable and its default. Generated from the one table of options; a test "
                     "compares.\nAn option on the command line wins over its variable. An "
                     "unknown option or `WEFT_` "
                     "variable is an error.\n\n| option | variable | value | default | range | what it does "
                     "|\n|---|---|---|---|---|---|\n";
  for (const auto& option : table) {
    if (!is_shown(option)) {
      continue;
    }
    const auto head = option.name.empty() ? std::string() : code(spelling(option));
    text += "| " + table_cell(head) + " | " + table_cell(code(option.env)) + " | " + table_cell(kind_text(option)) +
            " | " + table_cell(option.fallback) + " | " + table_cell(range_text(option)) + " | " +
            table_cell(option.help) + " |\n";
  }
  text += "\nAccepted without effect, for scripts written for other launchers: ";
  std::string separator;
  for (const auto& option : table) {
    if (option.kind == OptionKind::kIgnored) {
      text += separator + code(spelling(option));
      separator = ", ";
    }
  }
  text += ".\n\nOptions of other launchers that are refused, by a line that says what to use instead:\n\n";
  text += "| option | use instead |\n|---|---|\n";
  for (const auto& option : table) {
    if (option.kind == OptionKind::kRefused) {
      text += "| " + table_cell(code(spelling(option))) + " | " + table_cell(option.help) + " |\n";
    }
  }
  return text;
}

}  // namespace weft::base
