// Environment variables of weftrun, and what ranks see of them: -x, --genv, --genvlist and --genvall.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"

namespace weft::tools {

// This process's variables as they are now; valid until forget_launchers() or set_environment() changes them.
std::span<const char* const> environment();

// Sets the variables of -x, --genv and --env. Throws OptionError.
void set_environment(const base::OptionValues& values);

// The variables of -x VAR that neither the shell nor another option sets.
std::vector<std::string> missing_variables(const base::OptionValues& values);

// NAME=VALUE that a process on another host needs: Weft's variables and those of -x VAR, --genvlist and --genvall.
std::vector<std::string> exported_variables(const base::OptionValues& values);

}  // namespace weft::tools
