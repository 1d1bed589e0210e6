// Mean value analysis (MVA) of closed queueing networks with one class of customers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::predict {

// One queue with one server. The network of the paper has two of them for each node: its cores and its link.
struct Station {
  double visits = 0.0;   // V: mean visits in each cycle of a customer
  double service = 0.0;  // S: seconds per visit
};

struct MvaResult {
  double response = 0.0;            // R: seconds of a customer's cycle, without think time
  double throughput = 0.0;          // X: cycles per second of all customers together
  std::vector<double> response_at;  // by station: seconds per cycle, V times the response time of a visit
  std::vector<double> queue;        // Q, by station: mean number of customers
};

// Exact, by recursion over the number of customers (Reiser and Lavenberg 1980): R_i(j) = V_i S_i (1 + Q_i(j-1)),
// R = sum of R_i, X = j / (R + Z), Q_i = X R_i. `think`: Z, seconds of each cycle that a customer spends outside of
// queues. Needs customers × stations steps. REQUIRES: no negative values, and R + Z > 0 if there are customers.
MvaResult exact_mva(std::span<const Station> stations, std::uint32_t customers, double think = 0.0);

// A queue with several servers. `demand`: seconds of a server for each cycle of a customer, V S.
struct Queue {
  double demand = 0.0;
  std::uint32_t servers = 1;
};

// R + Z, the exact time of a cycle in seconds, in a network of such queues. Uses convolution (Buzen 1973), whose terms
// are all positive, since mean value analysis loses precision for busy queues with several servers. Needs customers² ×
// queues steps. REQUIRES: at least one customer, no negative values, and a positive time of a cycle.
double cycle_time(std::span<const Queue> queues, std::uint32_t customers, double think = 0.0);

}  // namespace weft::predict
