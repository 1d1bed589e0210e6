// Queries a job repeatedly for what `weft top` shows.
#pragma once

#include <optional>
#include <string>

#include "tools/weft/job_client.hpp"
#include "tools/weft/top_rates.hpp"
#include "tools/weft/top_rows.hpp"
#include "tools/weft/top_text.hpp"

namespace weft::tools::weft_tool {

// Which of a job's ranks are shown, and in which order.
struct TopSelection {
  SortKey::By by = SortKey::By::cpu;
  bool reverse = false;
  RankFilter filter;

  std::vector<RankRow> of(const TopView& view) const;
};

class TopSource {
 public:
  // Queries once: the first rates count from then. Throws std::runtime_error, one line, if there is no such job here or
  // no process answers.
  explicit TopSource(const std::string& job);
  // None once the job has ended. Waits up to 10 s for a job whose processes are being started again.
  std::optional<TopFrame> next();
  const std::string& job() const { return job_.name(); }

 private:
  std::optional<TopFrame> query();

  JobClient job_;
  TopRates rates_;
};

}  // namespace weft::tools::weft_tool
