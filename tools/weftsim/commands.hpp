// weftsim's subcommands, each in the file of its name: it adds itself with its options, and parsing then calls it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace weft::tools::weftsim {

void add_aggregate(CLI::App& app);
void add_compile(CLI::App& app);
void add_run(CLI::App& app);
void add_report(CLI::App& app);
void add_generate(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_sweep(CLI::App& app);
void add_best(CLI::App& app);
void add_compare(CLI::App& app);
void add_measured(CLI::App& app);
void add_predict(CLI::App& app);

// Ranks in up to three dimensions: "16", "8x8", "4x4x4". Throws std::invalid_argument that names the option.
std::array<std::uint32_t, 3> parse_grid(std::string_view option, const std::string& text);

// On standard output, without the control characters of what files hold.
void print(std::string_view text);

// Of an option that names a file to write: refused before the work begins, rather than at its end.
CLI::Validator writable_file();

// Throws std::runtime_error that names the file.
void write_file(const std::string& path, std::string_view text);

}  // namespace weft::tools::weftsim
