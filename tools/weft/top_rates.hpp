// Computes what `weft top` shows: rates between two queries of a job's processes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "inspect/messages.hpp"
#include "lb/interval_meter.hpp"

namespace weft::tools::weft_tool {

// Rates are per second of the time since the previous query; 0 if the rank was not seen then.
struct RankRow {
  std::uint32_t rank = 0;
  std::uint32_t worker = 0;
  std::uint32_t process = 0;
  inspect::Activity activity = inspect::Activity::unknown;
  std::string call;                                        // the MPI call that it is in or was last in
  double cpu = 0;                                          // share of the time in which it ran, 0 to 1
  double messages = 0, bytes = 0;                          // sent per second
  std::uint64_t memory = inspect::RankCounters::kUnknown;  // bytes
  std::uint32_t moves = 0;                                 // since the rank began; likewise the next members
  double seconds = 0;                                      // for which it ran
  std::uint64_t total_messages = 0, total_bytes = 0;       // sent
};

// Shares of the time since the previous query, 0 to 1.
struct WorkerRow {
  std::uint32_t worker = 0;
  std::uint32_t process = 0;
  std::uint32_t ranks = 0;
  double load = 0;        // its ranks ran
  double background = 0;  // other processes had its core
  double asleep = 0;      // it slept, as it had nothing to do
};

struct TopTotals {
  std::array<std::uint32_t, 7> by_activity{};  // ranks by Activity
  std::uint32_t ended = 0;                     // ranks
  double load = 0;                             // in workers
  double messages = 0, bytes = 0;              // sent per second
  std::uint64_t memory = 0;                    // of the ranks for which it is known
  std::uint32_t memory_ranks = 0;              // number of these ranks
  std::uint64_t moves = 0;
};

struct TopView {
  double seconds = 0;  // since the previous query; 0: there was none
  std::vector<RankRow> ranks;
  std::vector<WorkerRow> workers;
  TopTotals totals;
};

class TopRates {
 public:
  // `answers`: those of the processes to one query. A rank or worker that was missing in the previous answers is
  // compared with the last answer that had it.
  TopView next(const std::vector<inspect::Counters>& answers);

 private:
  struct RankBefore {
    double at = 0;
    inspect::RankCounters counters;
  };
  struct WorkerBefore {
    inspect::WorkerCounters counters;
    lb::IntervalMeter interval;
  };
  RankRow rank_row(const inspect::Counters& answer, const inspect::RankCounters& now);
  WorkerRow worker_row(const inspect::WorkerCounters& now);

  double queried_at_ = 0;
  std::unordered_map<std::uint32_t, RankBefore> ranks_;
  std::unordered_map<std::uint32_t, WorkerBefore> workers_;
};

}  // namespace weft::tools::weft_tool
