// weft's subcommands, each in the file of its name, evacuate in resize.cpp. add_X() adds subcommand X with its options;
// parsing then runs it.
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

// Internal subcommands, which other programs of Weft start. They return the exit code. `seconds`: the time without
// progress after which the job has stalled.
int watch_stalls(const std::string& job, double seconds);
int answer_relayed(const std::string& job);

// Prints on standard output and replaces control characters, which names of programs may contain.
void print(std::string_view text);
// Prints the text as it is: json_text() has escaped control characters.
void print_json(std::string_view text);

}  // namespace weft::tools::weft_tool
