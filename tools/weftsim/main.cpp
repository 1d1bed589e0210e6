// weftsim: simulates runs. Each subcommand is in the file of its name.
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/say.hpp"
#include "tools/completion/balancing_choices.hpp"
#include "tools/completion/sources.hpp"
#include "tools/weftsim/commands.hpp"

namespace weft::tools::weftsim {
namespace {

std::string cannot_be_written(const std::string& path) { return path + ": cannot be written: " + std::strerror(errno); }

}  // namespace

// Checks permissions only, without opening the file: that could leave an empty file, and a pipe's reader would see its
// end.
CLI::Validator writable_file() {
  const auto check = [](const std::string& path) {
    const std::filesystem::path file(path);
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
      errno = EISDIR;
      return cannot_be_written(path);
    }
    const std::filesystem::path touched = std::filesystem::exists(file, ignored) ? file : file.parent_path() / ".";
    return ::access(touched.c_str(), W_OK) == 0 ? std::string() : cannot_be_written(path);
  };
  return {check, ""};
}

void write_file(const std::string& path, std::string_view text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) {
    throw std::runtime_error(cannot_be_written(path));
  }
}

void print(std::string_view text) { std::fputs(base::printable(text).c_str(), stdout); }

std::array<std::uint32_t, 3> parse_grid(std::string_view option, const std::string& text) {
  std::array<std::uint32_t, 3> extents{1, 1, 1};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto [next, error] = std::from_chars(at, end, extents[d]);
    if (error != std::errc{}) {
      break;
    }
    if (next == end) {
      return extents;
    }
    at = next + (*next == 'x' ? 1 : 0);
  }
  throw std::invalid_argument(
      fmt::format("{}: expected ranks in up to three dimensions, as 8x8x4, not {}", option, text));
}

namespace {

int main_of(int argc, char** argv) {
  CLI::App app("Simulates runs of over-decomposed MPI programs on machines that need not be there", "weftsim");
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("weftsim: {} (--help shows how)\n", error.what());
  });
  add_compile(app);
  add_aggregate(app);
  add_run(app);
  add_report(app);
  add_generate(app);
  add_calibrate(app);
  add_fit(app);
  add_sweep(app);
  add_best(app);
  add_compare(app);
  add_measured(app);
  add_predict(app);
  if (const auto script = requested_completion(app, balancing_choices(), {argv, static_cast<std::size_t>(argc)})) {
    std::fputs(script->c_str(), stdout);
    return std::fflush(stdout) == 0 ? 0 : 1;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    std::ostringstream mistake;
    const bool is_right = app.exit(error, text, mistake) == 0;
    print(text.str());
    base::say(mistake.str());
    return is_right ? 0 : 1;
  } catch (const std::exception& error) {
    base::say(fmt::format("weftsim: {}\n", error.what()));
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace weft::tools::weftsim

int main(int argc, char** argv) { return weft::tools::weftsim::main_of(argc, argv); }
