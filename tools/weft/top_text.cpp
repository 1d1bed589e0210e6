#include "tools/weft/top_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "tools/weft/job_query.hpp"

namespace weft::tools::weft_tool {
namespace {

using inspect::Activity;

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string memory_text(std::uint64_t bytes) {
  return bytes == inspect::RankCounters::kUnknown ? "-" : short_number(static_cast<double>(bytes), 1024);
}

std::string all_memory_text(const TopView& view) {
  const std::string text = memory_text(view.totals.memory);
  return view.totals.memory_ranks == view.ranks.size() ? text
                                                       : fmt::format("{} of {} ranks", text, view.totals.memory_ranks);
}

// The call that the rank is in; for a rank that is in none, its last call in parentheses.
std::string call_text(const RankRow& rank, std::size_t longest) {
  const bool is_in = rank.activity == Activity::waits || rank.activity == Activity::ready;
  std::string text = is_in || rank.call.empty() ? rank.call : "(" + rank.call + ")";
  text.resize(std::min(text.size(), longest));
  return text;
}

// "waits 6, computes 2"
std::string activities_text(const TopTotals& totals) {
  std::string text;
  for (std::size_t i = 0; i < totals.by_activity.size(); ++i) {
    if (totals.by_activity[i] != 0) {
      text +=
          fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(static_cast<Activity>(i)), totals.by_activity[i]);
    }
  }
  if (totals.ended != 0) {
    text += fmt::format("{}ended {}", text.empty() ? "" : ", ", totals.ended);
  }
  return text;
}

void add_rest(std::vector<std::string>& lines, std::size_t all, std::size_t shown, std::string_view what) {
  if (all > shown) {
    lines.push_back(fmt::format("and {} more {}{}", all - shown, what, all - shown == 1 ? "" : "s"));
  }
}

std::string totals_json(const TopTotals& totals) {
  std::string states;
  for (std::size_t i = 0; i < totals.by_activity.size(); ++i) {
    states += fmt::format("{}\"{}\": {}", states.empty() ? "" : ", ", name_of(static_cast<Activity>(i)),
                          totals.by_activity[i]);
  }
  return fmt::format(
      "{{\"states\": {{{}, \"ended\": {}}}, \"load\": {:.4f}, \"messages_per_second\": {:.1f}, "
      "\"bytes_per_second\": {:.1f}, \"memory\": {}, \"memory_ranks\": {}, \"moves\": {}}}",
      states, totals.ended, totals.load, totals.messages, totals.bytes, totals.memory, totals.memory_ranks,
      totals.moves);
}

void add_json(std::string& json, const WorkerRow& worker) {
  fmt::format_to(std::back_inserter(json),
                 "{{\"worker\": {}, \"process\": {}, \"ranks\": {}, \"load\": {:.4f}, \"background\": {:.4f}, "
                 "\"asleep\": {:.4f}}}",
                 worker.worker, worker.process, worker.ranks, worker.load, worker.background, worker.asleep);
}

// Caches names of calls as JSON strings; there are few of them.
class QuotedNames {
 public:
  const std::string& of(const std::string& name) {
    const auto [known, is_new] = known_.try_emplace(name);
    if (is_new) {
      known->second = json_text(name);
    }
    return known->second;
  }

 private:
  std::unordered_map<std::string, std::string> known_;
};

// Uses compiled formats and appends to one text: there are thousands of ranks every two seconds.
void add_json(std::string& json, const RankRow& rank, QuotedNames& names) {
  const auto out = std::back_inserter(json);
  fmt::format_to(out, FMT_COMPILE("{{\"rank\": {}, \"process\": {}, \"worker\": {}, \"state\": \"{}\", \"call\": {}, "),
                 rank.rank, rank.process, rank.worker, name_of(rank.activity), names.of(rank.call));
  fmt::format_to(out, FMT_COMPILE("\"cpu\": {:.4f}, \"messages_per_second\": {:.1f}, \"bytes_per_second\": {:.1f}, "),
                 rank.cpu, rank.messages, rank.bytes);
  if (rank.memory == inspect::RankCounters::kUnknown) {
    json += "\"memory\": null, ";
  } else {
    fmt::format_to(out, FMT_COMPILE("\"memory\": {}, "), rank.memory);
  }
  fmt::format_to(out, FMT_COMPILE("\"moves\": {}, \"seconds\": {:.6f}, \"messages\": {}, \"bytes\": {}}}"), rank.moves,
                 rank.seconds, rank.total_messages, rank.total_bytes);
}

void add_json(std::string& json, const std::string& remark) { json += json_text(remark); }

template <typename Row, typename... More>
void add_list(std::string& json, std::string_view name, std::span<const Row> rows, More&... more) {
  fmt::format_to(std::back_inserter(json), ", \"{}\": [", name);
  for (const Row& row : rows) {
    json += &row == rows.data() ? "" : ", ";
    add_json(json, row, more...);
  }
  json += "]";
}

}  // namespace

std::string short_number(double value, double unit) {
  constexpr std::string_view kLetters = " kMGTPE";
  std::size_t letter = 0;
  while (value >= unit - 0.5 && letter + 1 < kLetters.size()) {
    value /= unit;
    ++letter;
  }
  const bool is_whole = value >= 99.95 || value == std::floor(value);
  std::string text = is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
  if (letter != 0) {
    text += kLetters[letter];
  }
  return text;
}

std::vector<std::string> head_lines(const TopFrame& frame) {
  const TopTotals& totals = frame.view.totals;
  return {fmt::format("job {}: {} ranks ({}), {} workers in {} process{}, {}", frame.job.job, frame.job.ranks,
                      activities_text(totals), frame.job.workers, frame.job.processes,
                      frame.job.processes == 1 ? "" : "es", elapsed(frame.job.started)),
          fmt::format("load {:.2f} of {} workers, {} messages/s, {} bytes/s, memory {}, {} moves", totals.load,
                      frame.view.workers.size(), short_number(totals.messages), short_number(totals.bytes),
                      all_memory_text(frame.view), totals.moves)};
}

std::vector<std::string> worker_lines(std::span<const WorkerRow> workers, std::size_t most) {
  std::vector<std::string> lines{fmt::format("{:>6} {:>7} {:>6} {:>6} {:>10} {:>6}", "WORKER", "PROCESS", "RANKS",
                                             "LOAD", "BACKGROUND", "ASLEEP")};
  const std::size_t shown = std::min(workers.size(), most);
  for (const WorkerRow& worker : workers.first(shown)) {
    lines.push_back(fmt::format("{:>6} {:>7} {:>6} {:>6} {:>10} {:>6}", worker.worker, worker.process, worker.ranks,
                                percent(worker.load), percent(worker.background), percent(worker.asleep)));
  }
  add_rest(lines, workers.size(), shown, "worker");
  return lines;
}

std::vector<std::string> rank_lines(std::span<const RankRow> ranks, std::size_t most, std::size_t width) {
  constexpr std::size_t kOtherColumns = 65;
  const std::size_t call = std::clamp<std::size_t>(width - std::min(width, kOtherColumns), 12, 24);
  std::vector<std::string> lines{fmt::format("{:>7} {:>6} {:<8} {:<{}} {:>6} {:>8} {:>8} {:>8} {:>6}", "RANK", "WORKER",
                                             "STATE", "CALL", call, "CPU", "MSGS/S", "BYTES/S", "MEMORY", "MOVES")};
  const std::size_t shown = std::min(ranks.size(), most);
  for (const RankRow& rank : ranks.first(shown)) {
    lines.push_back(fmt::format("{:>7} {:>6} {:<8} {:<{}} {:>6} {:>8} {:>8} {:>8} {:>6}", rank.rank, rank.worker,
                                name_of(rank.activity), call_text(rank, call), call, percent(rank.cpu),
                                short_number(rank.messages), short_number(rank.bytes), memory_text(rank.memory),
                                rank.moves));
  }
  add_rest(lines, ranks.size(), shown, "rank");
  return lines;
}

std::string top_json(const TopFrame& frame, std::span<const RankRow> ranks) {
  constexpr std::size_t kRankBytes = 300;
  std::string json;
  json.reserve(kRankBytes * ranks.size());
  fmt::format_to(std::back_inserter(json), "{{\"job\": {}, \"seconds\": {:.3f}, \"totals\": {}",
                 json_text(frame.job.job), frame.view.seconds, totals_json(frame.view.totals));
  add_list(json, "remarks", std::span(frame.remarks));
  add_list(json, "workers", std::span(frame.view.workers));
  QuotedNames names;
  add_list(json, "ranks", ranks, names);
  return json + "}\n";
}

}  // namespace weft::tools::weft_tool
