// Which ranks exchange messages, and what these cost between two workers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lb/strategy.hpp"

namespace weft::lb {

Distance distance_between(const Instance& instance, std::uint32_t a, std::uint32_t b);

inline double link_seconds(const Instance& instance, Distance distance, double messages, double bytes) {
  const Link& link = instance.links[static_cast<std::size_t>(distance)];
  return messages * link.seconds_per_message + bytes * link.seconds_per_byte;
}

// An edge as seen from one of its ranks. Each edge is in the lists of both its ranks.
struct Neighbour {
  std::uint32_t rank = 0;  // index in the instance
  double messages = 0.0;
  double bytes = 0.0;
};

// The neighbours of each rank, without messages of a rank to itself.
class Neighbours {
 public:
  explicit Neighbours(const Instance& instance);
  [[nodiscard]] std::span<const Neighbour> of(std::uint32_t rank) const {
    return std::span(all_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }

 private:
  std::vector<std::size_t> first_;  // by rank, and the end
  std::vector<Neighbour> all_;
};

// Seconds that a rank's messages take if the rank is at `worker` and all others are at their workers in the plan.
double message_seconds(const Instance& instance, const Neighbours& neighbours, const Plan& plan, std::uint32_t rank,
                       std::uint32_t worker);
// For each worker the seconds of its ranks' messages. An edge counts at both its ends.
std::vector<double> message_seconds(const Instance& instance, const Neighbours& neighbours, const Plan& plan);

}  // namespace weft::lb
