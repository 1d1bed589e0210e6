// Makes completions from CLI11 applications: weft and weftsim.
#include <cctype>
#include <string_view>
#include <utility>

#include "tools/completion/sources.hpp"

namespace weft::tools {
namespace {

// CLI11 has no kinds of values: an option takes a file if its help has one of these words.
bool takes_file(std::string_view help) {
  const auto is_letter = [&](std::size_t at) {
    return at < help.size() && std::isalpha(static_cast<unsigned char>(help[at])) != 0;
  };
  for (const std::string_view word : {"file", "File", "Recording"}) {
    for (std::size_t at = help.find(word); at != std::string_view::npos; at = help.find(word, at + 1)) {
      if (!is_letter(at - 1) && !is_letter(at + word.size())) {  // 0 - 1 is beyond the end
        return true;
      }
    }
  }
  return false;
}

CompletedOption completed_option(const CLI::Option& option, const ChoicesOfOptions& choices) {
  CompletedOption completed;
  for (const std::string& name : option.get_snames()) {
    completed.spellings.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    completed.spellings.push_back("--" + name);
    if (const auto known = choices.find(name); known != choices.end()) {
      completed.choices = known->second;
    }
  }
  completed.values = option.get_items_expected_max() > 0 ? 1 : 0;
  completed.help = option.get_description();
  if (!completed.choices.empty()) {
    completed.value = CompletedOption::Value::choice;
  } else if (takes_file(completed.help)) {
    completed.value = CompletedOption::Value::file;
  }
  return completed;
}

CompletedCommand::Operands operands_of(const CLI::App& app) {
  const auto positionals = app.get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (positionals.empty()) {
    return CompletedCommand::Operands::none;
  }
  const bool is_job = positionals.front()->get_name(true) == "JOB";
  return is_job ? CompletedCommand::Operands::jobs : CompletedCommand::Operands::files;
}

}  // namespace

CompletedCommand completed_command(const CLI::App& app, const ChoicesOfOptions& choices) {
  CompletedCommand completed;
  completed.name = app.get_name();
  completed.help = app.get_description();
  completed.operands = operands_of(app);
  for (const CLI::Option* const option : app.get_options({})) {
    if (option->nonpositional()) {
      completed.options.push_back(completed_option(*option, choices));
    }
  }
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    completed.subcommands.push_back(completed_command(*command, choices));
  }
  return completed;
}

std::optional<std::string> requested_completion(const CLI::App& app, const ChoicesOfOptions& choices,
                                                std::span<const char* const> arguments) {
  if (arguments.size() != 3 || std::string_view(arguments[1]) != "--completion") {
    return std::nullopt;
  }
  const std::string_view shell = arguments[2];
  if (shell == "bash") {
    return bash_completion(completed_command(app, choices));
  }
  if (shell == "zsh") {
    return zsh_completion(completed_command(app, choices));
  }
  return std::nullopt;
}

}  // namespace weft::tools
