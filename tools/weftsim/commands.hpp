// weftsim's subcommands, each in the file of its name: it adds itself with its options, and parsing then calls it.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace weft::tools::weftsim {

void add_compile(CLI::App& app);
void add_run(CLI::App& app);
void add_report(CLI::App& app);
void add_generate(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_sweep(CLI::App& app);
void add_best(CLI::App& app);
void add_compare(CLI::App& app);

// Throws std::runtime_error that names the file.
void write_file(const std::string& path, std::string_view text);

}  // namespace weft::tools::weftsim
