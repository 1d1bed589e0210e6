// weft's subcommands, each in the file of its name: it adds itself with its options, and parsing then calls it.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace weft::tools::weft_tool {

void add_evacuate(CLI::App& app);
void add_ps(CLI::App& app);
void add_resize(CLI::App& app);
void add_stacks(CLI::App& app);
void add_top(CLI::App& app);

// What other programs of Weft start. The exit code.
int watch_stalls(const std::string& job, double seconds);
int answer_relayed(const std::string& job);

// On standard output, without the control characters of what programs are called.
void print(std::string_view text);
// As it is: json_text() has escaped them.
void print_json(std::string_view text);

}  // namespace weft::tools::weft_tool
