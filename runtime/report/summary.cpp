#include "runtime/report/summary.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace weft::report {
namespace {

std::string time_text(double seconds) {
  const double size = std::abs(seconds);
  return size >= 1      ? fmt::format("{:.2f} s", seconds)
         : size >= 1e-3 ? fmt::format("{:.2f} ms", seconds * 1e3)
                        : fmt::format("{:.0f} us", seconds * 1e6);
}

std::string bytes_text(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  return bytes >= std::uint64_t{1} << 20 ? fmt::format("{:.1f} MiB", value / 1048576)
                                         : fmt::format("{:.1f} KiB", value / 1024);
}

std::string count_text(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::vector<StepRecord> at_most(std::vector<StepRecord> steps, std::size_t rows) {
  const std::size_t group = (steps.size() + rows - 1) / rows;
  std::vector<StepRecord> fewer;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i % group == 0) {
      fewer.push_back(std::move(steps[i]));
    } else {
      fewer.back() = joined(std::move(fewer.back()), steps[i]);
    }
  }
  return fewer;
}

std::string table_row(std::uint64_t number, const StepRecord& step, const StepRecord* next) {
  const double part = 1 / static_cast<double>(step.steps);
  const std::string after = next == nullptr ? "-" : fmt::format("{:.3f}", next->imbalance());
  const std::string realised =
      next == nullptr
          ? "-"
          : fmt::format("{:.4f}", step.longest() * part - next->longest() / static_cast<double>(next->steps));
  return fmt::format("{:>6} {:>10.3f} {:>10.4f} {:>9.3f} {:>9.3f} {:>9} {:>7} {:>10} {:>9.3f} {:>9.4f} {:>9}\n", number,
                     step.at, step.interval * part, step.imbalance(), step.planned_imbalance(), after, step.moves,
                     bytes_text(step.bytes), step.cost * 1e3, step.predicted_gain, realised);
}

}  // namespace

std::string summary_line(const JobInfo& job, const History& history) {
  const Totals totals = history.totals();
  if (totals.steps == 0) {
    const std::string why =
        job.stopped_by.empty() ? fmt::format("the program came to no {} at which one was due ({})", job.calls, job.when)
                               : job.stopped_by;
    return fmt::format("weft: balancing with {}: no step: {}\n", job.strategy, why);
  }
  const std::string crossing = totals.crossings == 0 ? ""
                                                     : fmt::format(" ({} to another process, with {})",
                                                                   totals.crossings, bytes_text(totals.bytes));
  const std::string later = totals.steps == 1 ? "" : fmt::format(", {:.2f} in the others", totals.later_imbalance);
  const double net = totals.gain - totals.cost;
  const std::string held = job.held_steps == 0
                               ? ""
                               : fmt::format("; in {} nothing could move, as spawned ranks had not ended",
                                             count_text(job.held_steps, "step"));
  const std::string counter = job.counter.empty() ? "" : fmt::format("; loads by PAPI's {}", job.counter);
  return fmt::format("weft: balancing with {}: {} took {}, {}{}; imbalance {:.2f} in the first interval{}; {} {}{}{}\n",
                     job.strategy, count_text(totals.steps, "step"), time_text(totals.cost),
                     count_text(totals.moves, "move"), crossing, totals.first_imbalance, later,
                     net < 0 ? "lost" : "gained", time_text(std::abs(net)), held, counter);
}

std::string summary_table(const JobInfo& job, const History& history, std::size_t rows) {
  std::string text = fmt::format("weft: balancing with {}, {}: {} ranks on {} workers\n", job.strategy, job.when,
                                 job.ranks, job.process_of.size());
  if (!job.load_clock.empty()) {
    text += fmt::format("loads measured by {}\n", job.load_clock);
  }
  if (!job.links.empty()) {
    text += fmt::format("messages, us:ns/byte on a worker, NUMA node, process, host, between hosts: {}\n", job.links);
  }
  text += fmt::format("{:>6} {:>10} {:>10} {:>29} {:>7} {:>10} {:>9} {:>19}\n", "", "", "", "imbalance, max/mean ", "",
                      "", "", "gain s      ");
  text += fmt::format("{:>6} {:>10} {:>10} {:>9} {:>9} {:>9} {:>7} {:>10} {:>9} {:>9} {:>9}\n", "step", "at s",
                      "interval s", "before", "planned", "after", "moves", "sent", "cost ms", "planned", "came");
  const std::vector<StepRecord> steps = at_most(history.steps(), rows);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    number += steps[i].steps;
    text += table_row(number, steps[i], i + 1 < steps.size() ? &steps[i + 1] : nullptr);
  }
  if (!job.pinned.empty()) {
    text += fmt::format("could not leave its process: {} (maybe others, too)\n", job.pinned);
  }
  text += summary_line(job, history);
  return job.joules_from.empty() ? text : text + fmt::format("weft: {:.0f} J ({})\n", job.joules, job.joules_from);
}

}  // namespace weft::report
