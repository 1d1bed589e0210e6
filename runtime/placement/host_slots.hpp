// The hosts that a user names for a job, and how many workers may run on each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::placement {

struct HostSlots {
  std::string host;
  std::optional<std::uint32_t> slots;  // nothing: as many as the host has cores
};

// Parses --host: words "name" or "name:slots". If any host is named several times, each host has the sum of its slots,
// and a word without a number counts one. Otherwise a host without a number has as many slots as cores. Hosts keep the
// order of their first word. Throws base::OptionError, which names the word.
std::vector<HostSlots> parse_host_list(const std::vector<std::string>& words);

// Parses --hostfile: lines of Open MPI ("name slots=N", "name") and of Hydra ("name:N"), comments from '#' on, empty
// lines. Repeated hosts as above. `name` is the file's, for errors: base::OptionError "NAME:LINE: ...".
std::vector<HostSlots> parse_hostfile(std::string_view text, const std::string& name);

// Combines --host with --hostfile: those hosts of the file that `wanted` names, in its order, with as many slots as it
// says. Throws base::OptionError where the file does not have such a host, or not so many slots.
std::vector<HostSlots> choose_hosts(const std::vector<HostSlots>& file, const std::vector<HostSlots>& wanted);

// Collects mentions of hosts, as the functions above do.
class HostList {
 public:
  void add(const std::string& host, std::optional<std::uint32_t> slots);
  std::vector<HostSlots> hosts() const;

 private:
  struct Mentions {
    std::string host;
    std::uint32_t count = 0;  // number of mentions
    std::uint32_t slots = 0;  // their sum
    bool says_slots = false;  // at least one mention gives a number of slots
  };
  std::vector<Mentions> mentions_;
};

}  // namespace weft::placement
