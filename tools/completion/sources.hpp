// Where completions come from: a table of options (base/options.hpp), or a program of CLI11's.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <CLI/CLI.hpp>

#include "base/options.hpp"
#include "base/options_text.hpp"
#include "tools/completion/completion.hpp"

namespace weft::tools {

CompletedCommand completed_command(const base::CommandText& command, std::span<const base::Option> table,
                                   const ChoicesOfOptions& choices);

// Options and subcommands that `app` has so far.
CompletedCommand completed_command(const CLI::App& app, const ChoicesOfOptions& choices);

// The script that a build asks for by `NAME --completion bash` or `zsh`; none where the arguments say something else.
std::optional<std::string> asked_completion(const CLI::App& app, const ChoicesOfOptions& choices,
                                            std::span<const char* const> arguments);

}  // namespace weft::tools
