#include "predict/mva.hpp"

#include <cstddef>

#include "base/check.hpp"

namespace weft::predict {

MvaResult exact_mva(std::span<const Station> stations, std::uint32_t customers, double think) {
  MvaResult result{.response_at = std::vector<double>(stations.size()), .queue = std::vector<double>(stations.size())};
  for (std::uint32_t j = 1; j <= customers; ++j) {
    result.response = 0.0;
    for (std::size_t i = 0; i < stations.size(); ++i) {
      result.response_at[i] = stations[i].visits * stations[i].service * (1.0 + result.queue[i]);
      result.response += result.response_at[i];
    }
    base::check(result.response + think > 0.0, "a closed network needs time for a cycle");
    result.throughput = static_cast<double>(j) / (result.response + think);
    for (std::size_t i = 0; i < stations.size(); ++i) {
      result.queue[i] = result.throughput * result.response_at[i];
    }
  }
  return result;
}

}  // namespace weft::predict
