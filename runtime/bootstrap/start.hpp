// Starts a process of a job on this host, and by an agent such as ssh a proxy that does so on another one.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/hosts.hpp"
#include "runtime/bootstrap/launcher_address.hpp"
#include "runtime/bootstrap/launcher_port.hpp"

namespace weft::bootstrap {

// The environment variable that tells a process on another host the name by which its host was reached.
inline constexpr const char* kHostNameVariable = "WEFT_HOST_NAME";

// What all started processes have in common. They die with the launcher.
struct StartConfig {
  std::vector<std::string> command;    // program (a path) and arguments
  std::vector<std::string> variables;  // NAME=VALUE that other hosts need
  std::string agent;                   // runs a shell command line on another host: agent_command()
  sigset_t signals;                    // signals that started processes block
};

// This program's path and these arguments, as a command.
std::vector<std::string> same_command(std::span<const char* const> arguments);

// Starts a process of a job on this host. `variables`: NAME=VALUE in addition to this process's. Without `gets_input`
// its standard input is empty. Throws std::runtime_error.
pid_t start_process(const StartConfig& config, const LauncherAddress& address, bool gets_input,
                    std::span<const std::string> variables);

struct LocalProcess {
  pid_t pid;
  std::unique_ptr<FrameStream> stream;   // to the process; non-blocking
  std::unique_ptr<FrameStream> notices;  // likewise, for notices of failures; null unless requested
};
struct LocalStart {
  std::uint32_t process = 0;
  std::uint32_t processes = 1;
  bool gets_input = true;     // this process's standard input, which rank 0 may read wherever it lives; else none
  bool gets_notices = false;  // --survive api
};
// Starts a process with a connection to it. Throws std::runtime_error.
LocalProcess start_here(const StartConfig& config, const LocalStart& start);

// A proxy on another host (host_proxy.hpp).
struct RemoteProxy {
  pid_t agent;
  pid_t input_forwarder;  // passes standard input on; 0: none
};
// Starts a proxy. `gets_input`: passes on this process's standard input, for the processes there. Throws
// std::runtime_error.
RemoteProxy start_proxy(const StartConfig& config, const std::string& host, const LauncherPort& port, bool gets_input);

}  // namespace weft::bootstrap
