// Writes completion scripts for bash and zsh from the tables of options that the programs themselves use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weft::tools {

struct CompletedOption {
  enum class Value : std::uint8_t { text, file, folder, choice };
  std::vector<std::string> spellings;  // with dashes: "-n", "--ranks"
  std::size_t values = 0;              // number of words that follow as values
  Value value = Value::text;           // kind of the last of these words
  std::vector<std::string> choices;    // of Value::choice
  std::string help;                    // one line; empty: the option exists, but is not offered
};

struct CompletedCommand {
  enum class Operands : std::uint8_t { none, files, jobs, program };
  std::string name;
  std::string help;  // one line
  std::vector<CompletedOption> options;
  std::vector<CompletedCommand> subcommands;
  Operands operands = Operands::none;
};

// Values to choose from for options whose table has none, by the option's name without dashes.
using ChoicesOfOptions = std::map<std::string, std::vector<std::string>, std::less<>>;

// Scripts for share/bash-completion/completions/NAME and share/zsh/site-functions/_NAME.
std::string bash_completion(const CompletedCommand& command);
std::string zsh_completion(const CompletedCommand& command);

}  // namespace weft::tools
