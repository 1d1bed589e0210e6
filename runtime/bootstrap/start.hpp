// Starts one process of a job, here or by an agent such as ssh on another host.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <span>
#include <string>
#include <vector>

#include "runtime/bootstrap/hosts.hpp"
#include "runtime/bootstrap/launcher_address.hpp"

namespace weft::bootstrap {

// Tells a process on another host by which name that was reached.
inline constexpr const char* kHostNameVariable = "WEFT_HOST_NAME";

// What every started process shares; it dies with the launcher.
struct StartConfig {
  std::vector<std::string> command;    // program (a path) and arguments
  std::vector<std::string> variables;  // NAME=VALUE that other hosts need
  std::string agent;                   // starts a line of shell on another host: agent_command()
  sigset_t signals;                    // blocked signals of what is started
};

// This program's path and these arguments, as a command.
std::vector<std::string> same_command(std::span<const char* const> arguments);

// `address.fd` is inherited; it stays open here too. `gets_input`: the process has this one's standard
// input, which rank 0 may read wherever it lives; else none. Throws std::runtime_error.
pid_t start_here(const StartConfig& config, const LauncherAddress& address, bool gets_input);

struct RemoteProcess {
  pid_t agent;
  pid_t feeder;  // passes standard input on; 0: none
};
RemoteProcess start_there(const StartConfig& config, const std::string& host, const LauncherAddress& address);

}  // namespace weft::bootstrap
