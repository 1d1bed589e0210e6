// weftsim's subcommands, each in the file of its name. add_X() adds subcommand X with its options; parsing then runs
// it.
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
void add_fit(CLI::App& app);
void add_sweep(CLI::App& app);
void add_best(CLI::App& app);
void add_compare(CLI::App& app);
void add_measured(CLI::App& app);
void add_predict(CLI::App& app);

// Parses numbers of ranks in up to three dimensions: "16", "8x8", "4x4x4". Throws std::invalid_argument that names the
// option.
std::array<std::uint32_t, 3> parse_grid(std::string_view option, const std::string& text);

// Prints on standard output and replaces control characters, which files may contain.
void print(std::string_view text);

// Validates an option that names a file to write, so that the error comes before the work and not at its end.
CLI::Validator writable_file();

// Throws std::runtime_error that names the file.
void write_file(const std::string& path, std::string_view text);

}  // namespace weft::tools::weftsim
