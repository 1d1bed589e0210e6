// weftinfo: prints what this installation is, what this machine allows, and which settings are in force.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "base/executable.hpp"
#include "base/options.hpp"
#include "base/options_text.hpp"
#include "base/printable.hpp"
#include "base/say.hpp"
#include "lb/strategy.hpp"
#include "mpi.h"
#include "runtime/image/capacity.hpp"
#include "runtime/meter/load_clock.hpp"
#include "runtime/topology/cores.hpp"
#include "tools/knobs.hpp"
#include "tools/weftinfo_options.hpp"

extern "C" const char* const* weft_unsupported_functions(std::size_t* count);

namespace weft::tools {
namespace {

void line(std::string_view name, const std::string& value) {
  std::cout << fmt::format("{:<20} {}\n", name, base::printable(value));
}

std::optional<long> number_in(const char* path) {
  std::ifstream file(path);
  long value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

std::span<const char* const> unsupported() {
  std::size_t count = 0;
  const char* const* const names = weft_unsupported_functions(&count);
  return {names, count};
}

std::string installed_in() {
  try {
    return base::own_executable().parent_path().parent_path().string();
  } catch (const std::runtime_error& error) {
    return std::string("unknown: ") + error.what();
  }
}

void print_build() {
  line("Weft", WEFT_VERSION_TEXT);
  line("installed in", installed_in());
  line("built", WEFT_BUILD_TEXT);
  line("MPI", fmt::format("{}.{}, standard ABI {}.{} (libmpi_abi.so.1)", MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION,
                          MPI_ABI_SUBVERSION));
  const std::size_t missing = unsupported().size();
  line("functions",
       fmt::format("{} of MPI, AMPI and Weft", WEFT_FUNCTION_COUNT) +
           (missing == 0 ? std::string() : fmt::format("; {} of them fail by name (--functions lists them)", missing)));
}

void print_cores() {
  const auto cores = runtime::allowed_cores();
  std::string text;
  for (const auto core : cores) {
    text += fmt::format(" {}", core);
  }
  line("cores", fmt::format("{} for this process:{}", cores.size(), text));
  line("load measured by", runtime::choose_load_clock("auto").text);
}

std::string address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return "unlimited";
  }
  return fmt::format("{} MiB by ulimit -v: lift it (ulimit -v unlimited) or reserve less (--region-size 16G)",
                     limit.rlim_cur >> 20);
}

std::string overcommit() {
  switch (number_in("/proc/sys/vm/overcommit_memory").value_or(-1)) {
    case 0:
      return "0 (heuristic)";
    case 1:
      return "1 (always)";
    case 2:
      return "2 (strict): vm.overcommit_memory = 2 counts every rank's stack and heap in full";
    default:
      return "unknown";
  }
}

void print_limits() {
  // Mappings that a rank of a small program costs; a program with more private libraries costs more.
  constexpr std::uint64_t kMappingsC = 6;
  constexpr std::uint64_t kMappingsCxx = 8;
  const auto c = image::capacity(kMappingsC);
  const auto cxx = image::capacity(kMappingsCxx);
  line("memory mappings", fmt::format("vm.max_map_count {}: about {} ranks of a C program, {} of a C++ program",
                                      c.limit, c.ranks, cxx.ranks));
  line("address space", address_space());
  line("overcommit", overcommit());
  const auto pages = ::sysconf(_SC_PHYS_PAGES);
  line("memory",
       fmt::format("{} MiB", static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(::getpagesize()) >> 20));
}

void print_strategies() {
  std::string names;
  for (const auto& strategy : lb::strategies()) {
    names += (names.empty() ? "" : " ") + std::string(strategy.name);
  }
  line("strategies", names);
}

void print_settings(std::span<const char* const> environment) {
  base::OptionValues values(knobs());
  base::parse_environment(knobs(), environment, "WEFT_", values);
  std::cout << "\nsettings in force (environment, else default)\n";
  for (const auto& option : knobs()) {
    if (option.env.empty()) {
      continue;
    }
    const auto key = option.name.empty() ? option.env : option.name;
    const auto& text = values.text(key);
    line(std::string("  ") + std::string(option.env),
         (text.empty() ? "-" : text) + (values.given(key) ? "   (set)" : ""));
  }
}

int run(std::span<const char* const> arguments, std::span<const char* const> environment) {
  base::OptionValues values(kInfoOptions);
  const auto rest = base::parse_arguments(kInfoOptions, arguments, values);
  if (!rest.empty()) {
    throw base::OptionError("'" + rest.front() + "' means nothing here (--help lists the options)");
  }
  if (values.flag("help")) {
    std::cout << base::render_help(kInfoText, kInfoOptions);
  } else if (values.flag("version")) {
    std::cout << "weftinfo (Weft) " << WEFT_VERSION_TEXT << '\n';
  } else if (values.flag("functions")) {
    for (const auto* const name : unsupported()) {
      std::cout << name << '\n';
    }
  } else {
    print_build();
    print_cores();
    print_limits();
    print_strategies();
    print_settings(environment);
  }
  return 0;
}

}  // namespace
}  // namespace weft::tools

int main(int argc, char** argv, char** environment) {
  std::size_t variables = 0;
  while (environment[variables] != nullptr) {
    ++variables;
  }
  try {
    return weft::tools::run(std::span<const char* const>(argv + 1, static_cast<std::size_t>(argc - 1)),
                            std::span<const char* const>(environment, variables));
  } catch (const std::exception& error) {
    weft::base::say(std::string("weftinfo: ") + error.what() + "\n");
    return 1;
  }
}
