#include "mpi_shim/state/leak_report.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace weft::mpi_shim {
inline namespace state {

void add_unfreed(std::vector<std::string>& lines, std::size_t live, const char* what) {
  if (live > 0) {
    lines.push_back(fmt::format("{} {}{} never freed", live, what, live == 1 ? " was" : "s were"));
  }
}

namespace {

// "rank 3" or "ranks 0-3, 7"
std::string name_ranks(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) {
      ++end;
    }
    text += (i == 0 ? " " : ", ") + std::to_string(ranks[i]);
    if (end > i + 1) {
      text += "-" + std::to_string(ranks[end - 1]);
    }
    i = end;
  }
  return text;
}

}  // namespace

void LeakReport::add(int rank, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::ranges::find(lines, lines[i]) - lines.begin() < static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    const auto equal = std::ranges::count(lines, lines[i]);
    const std::string line = equal == 1 ? lines[i] : fmt::format("{} ({} of these)", lines[i], equal);
    const std::pair place(rank, i);
    ranks_of_[line].push_back(rank);
    const auto [at, is_new] = place_of_.try_emplace(line, place);
    at->second = is_new ? place : std::min(at->second, place);
  }
}

std::string LeakReport::take() {
  std::map<std::pair<int, std::size_t>, std::string> sorted;
  for (const auto& [line, ranks] : ranks_of_) {
    sorted[place_of_.at(line)] = fmt::format("weft: {}: {}\n", name_ranks(ranks), line);
  }
  std::string text;
  for (const auto& [place, line] : sorted) {
    text += line;
  }
  ranks_of_.clear();
  place_of_.clear();
  return text;
}

}  // namespace state
}  // namespace weft::mpi_shim
