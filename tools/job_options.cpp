#include "tools/job_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/duration.hpp"
#include "tools/balancing_options.hpp"
#include "tools/host_options.hpp"
#include "tools/survival_options.hpp"
#include "tools/time_limit.hpp"

namespace weft::tools {
namespace {

using base::OptionError;
using base::OptionValues;

std::uint32_t number(const OptionValues& values, std::string_view name) {
  return static_cast<std::uint32_t>(values.integer(name));
}

std::uint64_t parse_address(const std::string& text) {
  std::uint64_t address = 0;
  const auto* const begin = text.data() + (text.starts_with("0x") ? 2 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), address, 16);
  if (error != std::errc{} || end != text.data() + text.size() || address % 4096 != 0) {
    throw OptionError("--region-base: expected a page's address such as 0x400000000000, not '" + text + "'");
  }
  return address;
}

// Refuses empty names. They would mean that nothing is written, which a user does not expect whose script has, say, an
// unset variable.
void check_names(const OptionValues& values) {
  for (const std::string_view option :
       {"output-filename", "lb-report", "trace", "otf2", "record", "checkpoint", "restart", "collectives", "tune"}) {
    if (values.origin(option) == base::OptionOrigin::kArgument && values.text(option).empty()) {
      throw OptionError("--" + std::string(option) + ": expected the name of a file or folder, not ''");
    }
  }
}

void check_variables(const OptionValues& values) {
  if (values.flag("genvall") && values.flag("genvnone")) {
    throw OptionError("--genvall and --genvnone contradict each other: leave one out");
  }
}

// --checkpoint-every: a number alone counts calls.
void set_checkpoint_period(runtime::JobConfig& job, const OptionValues& values) {
  const std::string& text = values.text("checkpoint-every");
  std::uint32_t calls = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), calls);
  const bool counts = error == std::errc{} && end == text.data() + text.size();
  const bool has_unit = text.ends_with('s') || text.ends_with('m') || text.ends_with('h');
  const double seconds = has_unit ? base::parse_duration(text).value_or(0) : 0;
  if (!counts && seconds == 0) {
    throw OptionError(
        "--checkpoint-every: expected a number of calls of MPI_Migrate or a time such as 30s or 10m, not '" + text +
        "'");
  }
  if ((calls != 0 || seconds != 0) && job.checkpoint.empty()) {
    throw OptionError("--checkpoint-every needs --checkpoint DIR");
  }
  job.checkpoint_every = counts ? calls : 0;
  job.checkpoint_seconds = seconds;
}

// --output-filename
void set_output_folder(launch::LaunchConfig& config, std::string_view text) {
  constexpr std::string_view kOnly = ":nocopy";
  constexpr std::string_view kToo = ":copy";
  config.output_to_files_only = text.ends_with(kOnly);
  text.remove_suffix(config.output_to_files_only ? kOnly.size() : text.ends_with(kToo) ? kToo.size() : 0);
  config.output_folder = text;
}

// --bind and --bind-to
void set_binding(launch::LaunchConfig& config, const OptionValues& values) {
  using runtime::BindTo;
  config.job.bind = values.flag("bind");
  const std::string& what = values.text("bind-to");
  if (what.empty() && values.origin("bind-to") != base::OptionOrigin::kArgument) {
    return;
  }
  constexpr std::array<std::pair<std::string_view, BindTo>, 5> kNames{{{"hwthread", BindTo::hwthread},
                                                                       {"core", BindTo::core},
                                                                       {"numa", BindTo::numa},
                                                                       {"socket", BindTo::socket},
                                                                       {"package", BindTo::socket}}};
  const auto named = std::ranges::find(kNames, what, &std::pair<std::string_view, BindTo>::first);
  if (named == kNames.end() && what != "none") {
    throw OptionError("--bind-to: workers are not bound to '" + what +
                      "': expected none, hwthread, core, numa or socket");
  }
  const bool binds = named != kNames.end();
  if (values.given("bind") && values.origin("bind") == values.origin("bind-to") && values.flag("bind") != binds) {
    throw OptionError("--bind and --bind-to contradict each other: leave one out");
  }
  config.job.bind = binds;
  if (binds) {
    config.bind_to = named->second;
  }
}

}  // namespace

launch::LaunchConfig launch_config(const OptionValues& values) {
  check_balancing(values);
  check_survival(values);
  check_names(values);
  check_variables(values);
  launch::LaunchConfig config;
  config.job.stack_bytes = values.size("stack");
  config.job.eager_bytes = values.size("eager");
  config.job.unexpected_limit = values.given("unexpected-limit") ? values.size("unexpected-limit") : 0;
  config.job.spin_us = number(values, "spin");
  config.may_spin_longer = !values.given("spin");
  config.huge_pages = values.flag("huge-pages");
  config.job.check = values.flag("check");
  config.job.lb = values.text("lb");
  config.job.lb_period = number(values, "lb-period");
  config.job.lb_continuous = values.flag("lb-continuous");
  config.job.lb_when = values.text("lb-when");
  config.job.lb_model = values.text("lb-model");
  config.job.lb_links = values.text("lb-links");
  config.job.load_clock = values.text("load-clock");
  config.job.lb_summary = values.flag("quiet") ? "none" : values.text("lb-summary");
  config.job.lb_report = values.text("lb-report");
  config.job.trace = values.text("trace");
  config.job.otf2 = values.text("otf2");
  config.job.record = values.text("record");
  config.job.trace_bytes = values.size("trace-memory");
  config.job.checkpoint = values.text("checkpoint");
  set_checkpoint_period(config.job, values);
  config.job.restart = values.text("restart");
  if (values.given("workers")) {
    config.workers = number(values, "workers");
  }
  config.ratio = number(values, "ratio");
  if (values.given("universe")) {
    config.universe = number(values, "universe");
  }
  config.shared_libraries = values.list("share");
  config.plugins = values.list("plugins");
  config.migrate_at = values.list("migrate-at");
  config.tune = values.text("tune");
  config.collectives = values.text("collectives");
  config.quiet = values.flag("quiet");
  config.region = {.base = parse_address(values.text("region-base")), .size = values.size("region-size")};
  config.net = values.text("net");
  config.timeout = time_limit(values);
  config.stall = stall_limit(values);
  config.preempt = number(values, "preempt");
  config.tag_output = values.flag("tag-output");
  config.job.mapping = mapping_policy(values);
  config.display_map = displays_map(values);
  set_output_folder(config, values.text("output-filename"));
  config.report_bindings = values.flag("report-bindings");
  set_binding(config, values);
  config.verbose = values.flag("verbose");
  return config;
}

}  // namespace weft::tools
