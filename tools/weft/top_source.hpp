// A job's processes, asked again and again for what `weft top` shows.
#pragma once

#include <optional>
#include <string>

#include "tools/weft/asked_job.hpp"
#include "tools/weft/top_rates.hpp"
#include "tools/weft/top_rows.hpp"
#include "tools/weft/top_text.hpp"

namespace weft::tools::weft_tool {

// What is shown of a job's ranks.
struct TopSelection {
  SortKey::By by = SortKey::By::cpu;
  bool reverse = false;
  RankFilter filter;

  std::vector<RankRow> of(const TopView& view) const;
};

class TopSource {
 public:
  // Asks once: rates are since then. Throws std::runtime_error, one line: there is no such job here, or none answers.
  explicit TopSource(const std::string& job);
  // None once the job has ended. One whose processes are being started again is waited for, up to 10 s.
  std::optional<TopFrame> next();
  const std::string& job() const { return job_.name(); }

 private:
  std::optional<TopFrame> ask();

  AskedJob job_;
  TopRates rates_;
};

}  // namespace weft::tools::weft_tool
