#include "tools/size_options.hpp"

#include <algorithm>
#include <iostream>

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
  if (!others.empty() && values.origin("ratio") == OptionOrigin::kArgument) {
    throw OptionError(ratio + " goes with one program: give each of several its -n");
  }
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
  const std::uint32_t wanted = values.given("processes") ? number(values, "processes") : 0;
  std::uint32_t processes = wanted;
  if (const auto ranks = ranks_of(values, others)) {
    processes = std::min(wanted, values.given("universe") ? number(values, "universe") : *ranks);
  }
  if (processes < wanted && values.origin("processes") == OptionOrigin::kArgument && !values.flag("quiet")) {
    std::cerr << "weftrun: " << processes << (processes == 1 ? " process, not " : " processes, not ") << wanted
              << ": one without a rank would have nothing to do (-q says nothing)\n";
  }
  return bootstrap::spread_over_hosts(values.list("hosts"), processes);
}

}  // namespace weft::tools
