// Makes completions from a table of options (base/options.hpp) or from a CLI11 application.
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

// With the options and subcommands that `app` has at the moment of the call.
CompletedCommand completed_command(const CLI::App& app, const ChoicesOfOptions& choices);

// The script that the build requests by `NAME --completion bash` or `zsh`; none for other arguments.
std::optional<std::string> requested_completion(const CLI::App& app, const ChoicesOfOptions& choices,
                                                std::span<const char* const> arguments);

}  // namespace weft::tools
