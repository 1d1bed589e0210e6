// Writes completion scripts for bash.
#include <string_view>

#include "tools/completion/completion.hpp"

namespace weft::tools {
namespace {

using Operands = CompletedCommand::Operands;
using Value = CompletedOption::Value;

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : std::string(separator)) + word;
  }
  return text;
}

std::string_view without_dashes(std::string_view spelling) {
  while (spelling.starts_with('-')) {
    spelling.remove_prefix(1);
  }
  return spelling;
}

// A case of the shell function for options: sets what the option takes. `key` is the subcommand's name.
std::string case_of_option(const CompletedOption& option, const std::string& key) {
  std::string patterns;
  for (const std::string& spelling : option.spellings) {
    patterns += (patterns.empty() ? "" : " | ") + ("'" + key + ":" + std::string(without_dashes(spelling)) + "'");
  }
  std::string kind;
  if (option.value == Value::choice) {
    kind = " kind=words choices='" + joined(option.choices, " ") + "'";
  } else if (option.value != Value::text) {
    kind = option.value == Value::file ? " kind=files" : " kind=folders";
  }
  return "    " + patterns + ") values=" + std::to_string(option.values) + kind + " ;;\n";
}

std::string offered(const CompletedCommand& command) {
  std::string words;
  for (const CompletedOption& option : command.options) {
    if (!option.help.empty()) {
      words += (words.empty() ? "" : " ") + joined(option.spellings, " ");
    }
  }
  return words;
}

std::string_view name_of(Operands operands) {
  switch (operands) {
    case Operands::none:
      return "none";
    case Operands::files:
      return "files";
    case Operands::jobs:
      return "jobs";
    case Operands::program:
      return "program";
  }
  return "";
}

std::string case_of_command(const CompletedCommand& command, const std::string& key, const std::string& subcommands) {
  std::string text = "    '" + key + "') offered='" + offered(command) + "'";
  text += subcommands.empty() ? " kind=" + std::string(name_of(command.operands))
                              : " kind=words choices='" + subcommands + "'";
  return text + " ;;\n";
}

// The part of the script that is the same for all commands; ~ stands for the command's name. The script splits the line
// at spaces itself: bash's own words end at colons, too, as in --map-by ppr:2:node.
constexpr std::string_view kCommonScript = R"bash(
_~_answer() { # <kind> <choices>
  local program=$current
  case $1 in
    words) mapfile -t COMPREPLY < <(compgen -W "$2" -- "$current") ;;
    files) compopt -o filenames 2> /dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folders) compopt -o filenames 2> /dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    jobs) mapfile -t COMPREPLY < <(compgen -W "$(weft ps 2> /dev/null | awk 'NR > 1 { print $1 }')" -- "$current") ;;
    program)
      compopt -o filenames 2> /dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current"; [[ -z $program || $program == */* ]] || compgen -c -- "$program")
      ;;
  esac
}

_~() {
  local current word name values=0 kind choices offered command= place=options index program
  local -a words
  COMPREPLY=()
  read -ra words <<< "${COMP_LINE:0:COMP_POINT}"
  [[ ${COMP_LINE:0:COMP_POINT} != *[[:space:]] ]] || words+=("")
  current=${words[-1]}
  for word in "${words[@]:1:${#words[@]}-2}"; do
    if ((values > 0)); then
      ((values--))
    elif [[ $place == arguments ]]; then
      [[ $word != : ]] || place=options
    elif [[ $word == -- ]]; then
      place=operands
    elif [[ $word == -?* && $place == options ]]; then
      name=${word#-}
      name=${name#-}
      _~_option "$command:${name%%=*}"
      [[ $word != *=* ]] || values=0
    else
      _~_command "$command"
      if [[ $kind == words ]]; then
        command=$word
      elif [[ $kind == program ]]; then
        place=arguments program=$word
      fi
    fi
  done
  if ((values > 0)); then
    ((values == 1)) || kind=
    _~_answer "$kind" "$choices"
  elif [[ $place == arguments ]]; then
    for index in "${!COMP_WORDS[@]}"; do
      if [[ ${COMP_WORDS[index]} == "$program" ]] && declare -F _command_offset > /dev/null; then
        _command_offset "$index"
        return
      fi
    done
    _~_answer files
  elif [[ $current == -*=* ]]; then
    name=${current%%=*}
    name=${name#-}
    current=${current#*=}
    _~_option "$command:${name#-}"
    _~_answer "$kind" "$choices"
  else
    _~_command "$command"
    if [[ $current == -* && $place == options ]]; then
      _~_answer words "$offered"
    else
      _~_answer "$kind" "$choices"
    fi
  fi
}

complete -F _~ ~
)bash";

}  // namespace

std::string bash_completion(const CompletedCommand& command) {
  std::string names;
  std::string options;
  std::string commands;
  for (const CompletedOption& option : command.options) {
    options += case_of_option(option, "");
  }
  for (const CompletedCommand& sub : command.subcommands) {
    names += (names.empty() ? "" : " ") + sub.name;
    commands += case_of_command(sub, sub.name, "");
    for (const CompletedOption& option : sub.options) {
      options += case_of_option(option, sub.name);
    }
  }
  std::string text = "# bash completion of " + command.name + ", generated from its table of options\n";
  text += "_" + command.name + "_option() { # <subcommand>:<option>\n  values=0 kind= choices=\n  case $1 in\n";
  text += options + "  esac\n}\n\n";
  text += "_" + command.name + "_command() { # <subcommand>\n  kind=none offered= choices=\n  case $1 in\n";
  text += case_of_command(command, "", names) + commands + "  esac\n}\n";
  for (const char letter : kCommonScript) {
    text += letter == '~' ? command.name : std::string(1, letter);
  }
  return text;
}

}  // namespace weft::tools
