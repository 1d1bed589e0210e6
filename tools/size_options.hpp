// How many ranks and processes the options ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "runtime/setup/program.hpp"

namespace weft::tools {

// Ranks of all programs, of which `others` are those behind the first; nothing if that is the number of workers' to
// say. Of --ratio and -n the one on the command line counts where the other is a variable. Throws OptionError where
// both are given alike, and where --ratio is given for several programs or for a checkpoint's ranks.
std::optional<std::uint32_t> ranks_of(const base::OptionValues& values, std::span<const runtime::Application> others);

// The hosts of all processes to start. More processes than ranks would have nothing to do: a line on standard error
// says so where the command line asked for more.
std::vector<std::string> process_hosts(const base::OptionValues& values, std::span<const runtime::Application> others);

}  // namespace weft::tools
