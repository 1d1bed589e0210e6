#include "tools/weft/top_source.hpp"

#include <utility>
#include <vector>

#include "inspect/messages.hpp"
#include "tools/weft/asking.hpp"

namespace weft::tools::weft_tool {

std::vector<RankRow> TopSelection::of(const TopView& view) const {
  std::vector<RankRow> ranks;
  for (const RankRow& rank : view.ranks) {
    if (filter.passes(rank)) {
      ranks.push_back(rank);
    }
  }
  sort_ranks(ranks, by, reverse);
  return ranks;
}

TopSource::TopSource(const std::string& job) : name_(job) {
  const inspect::FoundJob found = require_job(job);
  if (!ask(found)) {
    fail_to_ask(found);
  }
}

std::optional<TopFrame> TopSource::next() {
  const std::optional<inspect::FoundJob> job = find_job(name_);
  return job ? ask(*job) : std::nullopt;
}

std::optional<TopFrame> TopSource::ask(const inspect::FoundJob& job) {
  constexpr int kSeconds = 5;
  Answers<inspect::Counters> answers = ask_all<inspect::Counters>(job, inspect::Subject::counters, kSeconds);
  if (answers.processes.empty()) {
    return std::nullopt;
  }
  TopFrame frame{.job = answers.processes.front().process,
                 .view = rates_.next(answers.processes),
                 .remarks = std::move(answers.remarks)};
  if (std::string absent = absent_text(job, frame.job, "top"); !absent.empty()) {
    frame.remarks.push_back(std::move(absent));
  }
  return frame;
}

}  // namespace weft::tools::weft_tool
