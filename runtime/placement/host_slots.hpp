// The hosts that a user names for a job, with as many slots as workers may run there.
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

// Of --host: words "name" or "name:slots". Where a host is named several times each has the sum of its slots, and a
// word without a number counts one; else one without a number has as many as cores. Hosts keep the order of their first
// word. Throws base::OptionError, which names the word.
std::vector<HostSlots> parse_host_list(const std::vector<std::string>& words);

// Of --hostfile: lines of Open MPI ("name slots=N", "name") and of Hydra ("name:N"), comments from '#' on, empty lines.
// A host of several lines as above. `name` is the file's, for errors: base::OptionError "NAME:LINE: ...".
std::vector<HostSlots> parse_hostfile(std::string_view text, const std::string& name);

// --host beside --hostfile: of the file's hosts those that `wanted` names, in its order, with as many slots as it says,
// at most those of the file. Throws base::OptionError where the file does not have such a host, or not so many slots.
std::vector<HostSlots> choose_hosts(const std::vector<HostSlots>& file, const std::vector<HostSlots>& wanted);

// Adds one mention of a host to a list, as the functions above do.
class HostList {
 public:
  void add(const std::string& host, std::optional<std::uint32_t> slots);
  std::vector<HostSlots> hosts() const;

 private:
  struct Mentions {
    std::string host;
    std::uint32_t count = 0;  // of mentions
    std::uint32_t slots = 0;  // their sum
    bool says_slots = false;  // one of them
  };
  std::vector<Mentions> mentions_;
};

}  // namespace weft::placement
