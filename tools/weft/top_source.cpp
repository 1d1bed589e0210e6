#include "tools/weft/top_source.hpp"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "inspect/messages.hpp"

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

TopSource::TopSource(const std::string& job) : job_(job) {
  if (!query()) {
    job_.fail();
  }
}

std::optional<TopFrame> TopSource::next() {
  constexpr int kTimes = 100;
  constexpr std::chrono::milliseconds kPause(100);
  std::optional<TopFrame> frame = query();
  for (int i = 0; !frame && i < kTimes && inspect::is_alive(job()); ++i) {
    std::this_thread::sleep_for(kPause);
    frame = query();
  }
  return frame;
}

std::optional<TopFrame> TopSource::query() {
  constexpr int kSeconds = 5;
  Answers<inspect::Counters> answers = job_.query<inspect::Counters>(inspect::Subject::counters, kSeconds);
  if (answers.processes.empty()) {
    return std::nullopt;
  }
  return TopFrame{.job = answers.processes.front().process,
                  .view = rates_.next(answers.processes),
                  .remarks = std::move(answers.remarks)};
}

}  // namespace weft::tools::weft_tool
