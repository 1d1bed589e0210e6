// Computes how many ranks and processes the options ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "runtime/setup/program.hpp"

namespace weft::tools {

// The ranks of all programs; `others` are those behind the first. Nothing if the number depends on that of the workers.
// If one of --ratio and -n is on the command line and the other is a variable, the former counts. Throws OptionError if
// both are given in the same way, and if --ratio is given for several programs or with --restart.
std::optional<std::uint32_t> ranks_of(const base::OptionValues& values, std::span<const runtime::Application> others);

// The hosts of all processes to start: no more processes than ranks, since further ones would have nothing to do.
// Prints a line on standard error if the command line asked for more.
std::vector<std::string> process_hosts(const base::OptionValues& values, std::span<const runtime::Application> others);

}  // namespace weft::tools
