// weft top: shows the workers and ranks of a job repeatedly.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "tools/weft/commands.hpp"
#include "tools/weft/top_source.hpp"
#include "tools/weft/top_text.hpp"
#if defined(WEFT_HAS_NCURSES)
#include "tools/weft/top_screen.hpp"
#endif

namespace weft::tools::weft_tool {
namespace {

struct TopOptions {
  std::string job;
  double interval = 2;  // seconds
  std::string sort = "cpu";
  bool reverse = false;
  std::vector<std::string> filters;
  std::optional<std::size_t> rows;
  std::size_t count = 0;
  bool plain = false;
  bool json = false;
};

std::string plain_text(const TopFrame& frame, const std::vector<RankRow>& ranks, std::size_t rows) {
  std::vector<std::string> lines = head_lines(frame);
  for (const std::vector<std::string>& more :
       {worker_lines(frame.view.workers, rows), rank_lines(ranks, rows), frame.remarks}) {
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

// Prints until options.count is reached, nobody reads the output any more, or the job has ended. Returns whether the
// job has ended.
bool print_repeatedly(TopSource& source, const TopSelection& selection, const TopOptions& options) {
  constexpr std::size_t kPlainRows = 20;
  for (std::size_t i = 0; options.count == 0 || i < options.count; ++i) {
    std::this_thread::sleep_for(std::chrono::duration<double>(options.interval));
    const std::optional<TopFrame> frame = source.next();
    if (!frame) {
      return true;
    }
    std::vector<RankRow> ranks = selection.of(frame->view);
    if (options.json) {
      ranks.resize(std::min(ranks.size(), options.rows.value_or(ranks.size())));
      print_json(top_json(*frame, ranks));
    } else {
      print((i == 0 ? "" : "\n") + plain_text(*frame, ranks, options.rows.value_or(kPlainRows)));
    }
    if (std::fflush(stdout) != 0) {
      return false;
    }
  }
  return false;
}

bool has_terminal() { return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0; }

// Each answer needs as much memory as the one before, megabytes for a large job: giving it back to the system in
// between costs more than computing the rates.
void keep_freed_memory() {
  constexpr int kBytes = 256 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kBytes);
  ::mallopt(M_TRIM_THRESHOLD, kBytes);
}

void run_top(const TopOptions& options) {
  constexpr double kShortest = 0.05;
  constexpr double kLongest = 86400;
  if (!(options.interval >= kShortest && options.interval <= kLongest)) {
    throw std::runtime_error(
        fmt::format("--interval {}: expected {} to {} seconds", options.interval, kShortest, kLongest));
  }
  const TopSelection selection{.by = parse_sort_key(options.sort),
                               .reverse = options.reverse,
                               .filter = parse_filter(fmt::format("{}", fmt::join(options.filters, " ")))};
  keep_freed_memory();
  TopSource source(options.job);
  bool has_ended = false;
#if defined(WEFT_HAS_NCURSES)
  if (!options.plain && !options.json && options.count == 0 && has_terminal()) {
    has_ended = run_top_screen(source, selection, std::chrono::milliseconds(std::llround(1000 * options.interval)));
  } else {
    has_ended = print_repeatedly(source, selection, options);
  }
#else
  has_ended = print_repeatedly(source, selection, options);
#endif
  if (has_ended && !options.json) {
    print(fmt::format("job {} has ended\n", source.job()));
  }
}

}  // namespace

void add_top(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("top", "Shows what a job's workers and ranks do, again and again");
  const auto options = std::make_shared<TopOptions>();
  command->add_option("JOB", options->job, "A name that weft ps lists (the only job of this host)");
  command->add_option("--interval", options->interval, "Seconds from one look to the next (2)");
  command->add_option("--sort", options->sort,
                      "Ranks by cpu, rank, worker, state, call, messages, bytes, memory or moves (cpu)");
  command->add_flag("--reverse", options->reverse, "The other way round");
  command
      ->add_option("--filter", options->filters,
                   "Only such ranks: rank=0-3,7, worker=0-3,7, state=NAME, call=PART; several must all be true")
      ->type_size(1)
      ->allow_extra_args(false);
  command->add_option("--rows", options->rows, "Most ranks and workers to print (20; with --json all)");
  command->add_option("--count", options->count, "Print so often, then end");
  command->add_flag("--plain", options->plain, "Tables one after the other, as without a terminal");
  command->add_flag("--json", options->json, "One object of JSON, in a line, for each interval");
  command->callback([options] { run_top(*options); });
}

}  // namespace weft::tools::weft_tool
