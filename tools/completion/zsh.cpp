// Writes completion scripts for zsh.
#include <string_view>

#include "tools/completion/completion.hpp"

namespace weft::tools {
namespace {

using Operands = CompletedCommand::Operands;
using Value = CompletedOption::Value;

// Escapes a text for a word in single quotes in which _arguments looks for brackets and colons.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
    } else if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') {
      result += '\\' + std::string(1, letter);
    } else {
      result += letter;
    }
  }
  return result;
}

// The first sentence of the help: the list has one line for each option.
std::string_view first_sentence(std::string_view help) {
  const std::size_t end = help.find(". ");
  help = help.substr(0, end);
  if (help.ends_with('.')) {
    help.remove_suffix(1);
  }
  return help;
}

std::string value_of(const CompletedOption& option) {
  std::string text;
  for (std::size_t i = 0; i + 1 < option.values; ++i) {
    text += ":name: ";
  }
  if (option.values == 0) {
    return text;
  }
  if (option.value == Value::file) {
    return text + ":file:_files";
  }
  if (option.value == Value::folder) {
    return text + ":folder:_files -/";
  }
  text += ":value:";
  if (option.value == Value::text) {
    return text + " ";
  }
  std::string words;
  for (const std::string& choice : option.choices) {
    words += (words.empty() ? "" : " ") + choice;
  }
  return text + "(" + words + ")";
}

// One word for each spelling. "--name=" takes its value behind the sign or as the next word, "-n+" in the same word or
// as the next one.
std::string specifications(const CompletedOption& option) {
  std::string text;
  const std::string help = option.help.empty() ? "" : "[" + escaped(first_sentence(option.help)) + "]";
  for (const std::string& spelling : option.spellings) {
    const std::string_view sign = option.values != 1           ? ""
                                  : spelling.starts_with("--") ? "="
                                  : spelling.size() == 2       ? "+"
                                                               : "";
    text.append(" \\\n    '*").append(spelling).append(sign).append(help).append(value_of(option)).append("'");
  }
  return text;
}

std::string arguments_of(const CompletedCommand& command) {
  std::string text = "_arguments";
  for (const CompletedOption& option : command.options) {
    if (!option.help.empty()) {
      text += specifications(option);
    }
  }
  switch (command.operands) {
    case Operands::none:
      break;
    case Operands::files:
      text += " \\\n    '*:file:_files'";
      break;
    case Operands::jobs:
      text += " \\\n    '1:job:(${(f)\"$(weft ps 2> /dev/null | awk \"NR > 1 { print \\$1 }\")\"})'";
      break;
    case Operands::program:
      text += " \\\n    '(-)1:program:{ _command_names -e; _files }' \\\n    '*::argument:_normal'";
      break;
  }
  return text + "\n";
}

std::string with_subcommands(const CompletedCommand& command) {
  std::string text = "local curcontext=\"$curcontext\" state line\nlocal -a commands\ncommands=(\n";
  std::string cases;
  for (const CompletedCommand& sub : command.subcommands) {
    text += "  '" + sub.name + ":" + escaped(sub.help) + "'\n";
    cases += "  " + sub.name + ")\n    " + arguments_of(sub) + "    ;;\n";
  }
  return text + ")\n_arguments -C '(-)'{-h,--help}'[print help and end]' '1:command:->command' '*::argument:->rest'\n" +
         "case $state in\n  command) _describe command commands; return ;;\n  rest) ;;\n  *) return ;;\nesac\ncase "
         "$words[1] in\n" +
         cases + "esac\n";
}

}  // namespace

std::string zsh_completion(const CompletedCommand& command) {
  return "#compdef " + command.name + "\n# zsh completion of " + command.name +
         ", generated from its table of options\n" +
         (command.subcommands.empty() ? arguments_of(command) : with_subcommands(command));
}

}  // namespace weft::tools
