#include "predict/mva.hpp"

#include <algorithm>
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

namespace {

// A station's factors for 0, 1, … customers: for j customers, the product of takes(1) to takes(j).
template <typename Rate>
std::vector<long double> products(std::uint32_t customers, const Rate& takes) {
  std::vector<long double> result{1.0L};
  for (std::uint32_t j = 1; j <= customers; ++j) {
    result.push_back(result.back() * takes(j));
  }
  return result;
}

std::vector<long double> convolved(const std::vector<long double>& one, const std::vector<long double>& other) {
  std::vector<long double> result(one.size());
  for (std::size_t all = 0; all < one.size(); ++all) {
    for (std::size_t here = 0; here <= all; ++here) {
      result[all] += one[here] * other[all - here];
    }
  }
  return result;
}

}  // namespace

double cycle_time(std::span<const Queue> queues, std::uint32_t customers, double think) {
  double unit = think / std::max(1U, customers);  // so that no product gets too large or too small
  for (const Queue& queue : queues) {
    unit = std::max(unit, queue.demand / std::min(queue.servers, customers));
  }
  base::check(customers > 0 && unit > 0.0, "a closed network needs time for a cycle");
  const auto scaled = [unit](double seconds) { return static_cast<long double>(seconds / unit); };
  std::vector<long double> sums = products(customers, [&](std::uint32_t j) { return scaled(think) / j; });
  for (const Queue& queue : queues) {
    if (queue.demand > 0.0) {
      sums = convolved(sums, products(customers, [&](std::uint32_t j) {
                         return scaled(queue.demand) / std::min(j, queue.servers);
                       }));
    }
  }
  const long double throughput = sums[customers - 1] / sums[customers];
  return static_cast<double>(customers / throughput) * unit;
}

}  // namespace weft::predict
