// Formats the tables of `weft top` as text and as JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tools/weft/top_rates.hpp"

namespace weft::tools::weft_tool {

struct TopFrame {
  inspect::ProcessFacts job;  // of one of its processes
  TopView view;
  std::vector<std::string> remarks;
};

// Lines without line ends. A table has a head, up to `most` rows, and a line with the number of further rows. If
// `width` is less than that of all columns, names of calls are shortened, for widths down to 80.
std::vector<std::string> head_lines(const TopFrame& frame);
std::vector<std::string> worker_lines(std::span<const WorkerRow> workers, std::size_t most);
std::vector<std::string> rank_lines(std::span<const RankRow> ranks, std::size_t most, std::size_t width = 89);

// One line, with its line end.
std::string top_json(const TopFrame& frame, std::span<const RankRow> ranks);

// A number such as "987", "1.2k" or "45.6M": up to four characters and a letter that stands for a power of `unit`.
std::string short_number(double value, double unit = 1000);

}  // namespace weft::tools::weft_tool
