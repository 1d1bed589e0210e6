// The tables of `weft top` in words and as JSON.
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

// Lines without their ends. The tables begin with a head; `most` rows, and then how many more there are. Where `width`
// is less than that of all columns, names of calls are shortened, down to 80.
std::vector<std::string> head_lines(const TopFrame& frame);
std::vector<std::string> worker_lines(std::span<const WorkerRow> workers, std::size_t most);
std::vector<std::string> rank_lines(std::span<const RankRow> ranks, std::size_t most, std::size_t width = 89);

// One line, with its end.
std::string top_json(const TopFrame& frame, std::span<const RankRow> ranks);

// "987", "1.2k", "45.6M", in four characters and a letter; the letters stand for powers of `unit`.
std::string short_number(double value, double unit = 1000);

}  // namespace weft::tools::weft_tool
