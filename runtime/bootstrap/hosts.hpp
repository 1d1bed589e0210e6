// Which host each process of a job runs on, and the command that starts one on another host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::bootstrap {

// Whether a name in a list of hosts means this host.
bool is_this_host(const std::string& name);

struct HostWord {
  std::string host;                    // as ssh has it: without the brackets of an IPv6 address
  std::optional<std::uint32_t> count;  // from 1 to 65536
};
// "name", "name:count", "[address]:count", each also with USER@ in front. Nothing where the word is none of these.
std::optional<HostWord> parse_host_word(const std::string& word);

// The host of each process, from words "name" or "name:processes". `processes` 0 means the sum of the numbers. If there
// are more processes than the sum, the words are used again from the first. Processes of one word follow each other.
// Throws std::runtime_error.
std::vector<std::string> spread_over_hosts(const std::vector<std::string>& words, std::uint32_t processes);

// The words of a command to which a shell command line is appended, so that it runs on `host`: those of `agent`, with
// the host in place of each "%h", or appended where there is none.
std::vector<std::string> agent_command(std::string_view agent, const std::string& host);

struct RemoteStart {
  std::string folder;                  // to change to
  std::vector<std::string> variables;  // NAME=VALUE
  std::vector<std::string> command;
};
// A command line for the user's shell on the other host.
std::string remote_line(const RemoteStart& start);

}  // namespace weft::bootstrap
