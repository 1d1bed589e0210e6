// Makes completions from tables of options: weftrun and weftinfo.
#include <utility>

#include "tools/completion/sources.hpp"

namespace weft::tools {
namespace {

using base::Option;
using base::OptionKind;

std::size_t words_behind(const Option& option) {
  switch (option.kind) {
    case OptionKind::kFlag:
      return 0;
    case OptionKind::kPair:
      return 2;
    case OptionKind::kIgnored:
      return base::split_words(option.value).size();
    default:
      return 1;
  }
}

std::vector<std::string> as_strings(const std::vector<std::string_view>& words) { return {words.begin(), words.end()}; }

void set_value(CompletedOption& completed, const Option& option, const ChoicesOfOptions& choices) {
  const auto known = choices.find(option.name);
  if (known != choices.end()) {
    completed.choices = known->second;
  } else if (!option.choices.empty()) {
    completed.choices = as_strings(base::split_words(option.choices));
  } else if (option.kind == OptionKind::kYesNo) {
    completed.choices = {"yes", "no"};
  }
  if (!completed.choices.empty()) {
    completed.value = CompletedOption::Value::choice;
  } else if (option.value.starts_with("FILE")) {
    completed.value = CompletedOption::Value::file;
  } else if (option.value.starts_with("DIR")) {
    completed.value = CompletedOption::Value::folder;
  }
}

}  // namespace

CompletedCommand completed_command(const base::CommandText& command, std::span<const Option> table,
                                   const ChoicesOfOptions& choices) {
  CompletedCommand completed;
  completed.name = command.name;
  completed.help = command.summary;
  if (command.usage.find("program") != std::string_view::npos) {
    completed.operands = CompletedCommand::Operands::program;
  }
  for (const Option& option : table) {
    if (option.name.empty() || option.kind == OptionKind::kRefused) {
      continue;
    }
    CompletedOption entry;
    for (const std::string_view alias : base::split_words(option.aliases)) {
      entry.spellings.push_back((alias.size() <= 2 ? "-" : "--") + std::string(alias));
    }
    entry.spellings.push_back((option.name.size() == 1 ? "-" : "--") + std::string(option.name));
    entry.values = words_behind(option);
    entry.help = option.kind == OptionKind::kIgnored ? "" : std::string(option.help);
    set_value(entry, option, choices);
    completed.options.push_back(std::move(entry));
  }
  return completed;
}

}  // namespace weft::tools
