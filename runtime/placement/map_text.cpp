#include "runtime/placement/map_text.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace weft::placement {
namespace {

constexpr std::size_t kColumns = 5;
using Row = std::array<std::string, kColumns>;

std::string aligned(const std::vector<Row>& rows) {
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      widths[c] = std::max(widths[c], row[c].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t c = 0; c + 1 < kColumns; ++c) {
      text += row[c] + std::string(widths[c] - row[c].size() + 2, ' ');
    }
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace

std::string ranges_text(std::span<const std::uint32_t> numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) {
      ++end;
    }
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    text += end - i == 1 ? "" : "-" + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string map_text(const JobShape& shape, std::span<const std::uint32_t> worker_of_rank,
                     const std::vector<std::string>& hosts, const std::vector<std::string>& cores) {
  const auto workers = std::accumulate(shape.workers.begin(), shape.workers.end(), std::size_t{0});
  std::vector<std::vector<std::uint32_t>> ranks(workers);
  for (std::uint32_t r = 0; r < worker_of_rank.size(); ++r) {
    ranks[worker_of_rank[r]].push_back(r);
  }
  std::vector<Row> rows{{"host", "process", "worker", "cores", "ranks"}};
  std::size_t worker = 0;
  for (std::size_t p = 0; p < shape.workers.size(); ++p) {
    for (std::uint32_t w = 0; w < shape.workers[p]; ++w, ++worker) {
      const std::string its_ranks = ranges_text(ranks[worker]);
      rows.push_back({hosts[p], std::to_string(p), std::to_string(worker),
                      worker < cores.size() && !cores[worker].empty() ? cores[worker] : "-",
                      its_ranks.empty() ? "-" : its_ranks});
    }
  }
  return aligned(rows);
}

}  // namespace weft::placement
