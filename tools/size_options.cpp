#include "tools/size_options.hpp"

#include <algorithm>

#include "base/say.hpp"
#include "runtime/bootstrap/hosts.hpp"

namespace weft::tools {
namespace {

using base::OptionError;
using base::OptionOrigin;
using base::OptionValues;

std::uint32_t number(const OptionValues& values, std::string_view name) {
  return static_cast<std::uint32_t>(values.integer(name));
}

std::string spelled(const OptionValues& values, std::string_view name, const char* option, const char* variable) {
  return values.origin(name) == OptionOrigin::kArgument ? option + (" " + values.text(name))
                                                        : variable + ("=" + values.text(name));
}

void refuse_contradictions(const OptionValues& values, std::span<const runtime::Application> others) {
  if (!values.given("ratio")) {
    return;
  }
  const std::string ratio = spelled(values, "ratio", "--ratio", "WEFT_RATIO");
  if (values.origin("ratio") == values.origin("ranks")) {
    throw OptionError("the number of ranks is given twice, by " + ratio + " and " +
                      spelled(values, "ranks", "-n", "WEFT_RANKS") + ": leave one out");
  }
  if (values.given("restart") && values.origin("ratio") >= values.origin("restart")) {
    throw OptionError(ratio + " goes with a job that begins, and --restart with as many ranks as the checkpoint has: " +
                      "leave one out");
  }
  if (!others.empty() && values.origin("ratio") == OptionOrigin::kArgument) {
    throw OptionError(ratio + " goes with one program: give each of several its -n");
  }
}

// A text such as ", and none on b", which names hosts on which no process is left.
std::string unused(const std::vector<std::string>& hosts, const std::vector<std::string>& fewer) {
  std::string names;
  for (auto host = hosts.begin(); host != hosts.end(); ++host) {
    const bool is_new = std::find(hosts.begin(), host, *host) == host;
    if (is_new && std::ranges::find(fewer, *host) == fewer.end()) {
      names += (names.empty() ? ", and none on " : ", ") + *host;
    }
  }
  return names;
}

}  // namespace

std::optional<std::uint32_t> ranks_of(const OptionValues& values, std::span<const runtime::Application> others) {
  refuse_contradictions(values, others);
  const bool counts = values.given("ranks") && values.origin("ranks") >= values.origin("ratio");
  const bool alone = others.empty() && !(values.given("direct") && !values.given("ratio"));
  if (alone && !counts) {
    return std::nullopt;
  }
  std::uint32_t ranks = counts ? number(values, "ranks") : 1;
  for (const runtime::Application& application : others) {
    ranks += application.ranks;
  }
  return ranks;
}

std::vector<std::string> process_hosts(const OptionValues& values, std::span<const runtime::Application> others) {
  const auto& words = values.list("hosts");
  auto hosts = bootstrap::spread_over_hosts(words, values.given("processes") ? number(values, "processes") : 0);
  const auto ranks = ranks_of(values, others);
  const std::size_t most = !ranks ? hosts.size() : values.given("universe") ? number(values, "universe") : *ranks;
  if (most >= hosts.size()) {
    return hosts;
  }
  auto fewer = bootstrap::spread_over_hosts(words, static_cast<std::uint32_t>(most));
  const bool asked = values.origin(values.given("processes") ? "processes" : "hosts") == OptionOrigin::kArgument;
  if (asked && !values.flag("quiet")) {
    base::say(
        "weftrun: " + std::to_string(most) + (most == 1 ? " process, not " : " processes, not ") +
        std::to_string(hosts.size()) + unused(hosts, fewer) +
        ": one without a rank would have nothing to do (--universe keeps them for MPI_Comm_spawn; -q says nothing)\n");
  }
  return fewer;
}

}  // namespace weft::tools
