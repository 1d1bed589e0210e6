// Mean value analysis of closed queueing networks with one class of customers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::predict {

// One queue with one server. The network of the paper has two of them for each node: its cores and its link.
struct Station {
  double visits = 0.0;   // V: in each cycle of a customer, in the mean
  double service = 0.0;  // S: seconds a visit
};

struct MvaResult {
  double response = 0.0;            // R: seconds that a customer takes for a cycle, thinking left out
  double throughput = 0.0;          // X: cycles a second, of all customers together
  std::vector<double> response_at;  // by station: seconds a cycle, V times the response of a visit
  std::vector<double> queue;        // Q, by station: customers there, in the mean
};

// Exact, by recursion over the number of customers (Reiser and Lavenberg 1980): R_i(j) = V_i S_i (1 + Q_i(j-1)),
// R = sum of R_i, X = j / (R + Z), Q_i = X R_i. `think`: Z, seconds of each cycle that a customer spends in no queue.
// Takes customers × stations steps. REQUIRES: nothing is negative, and R + Z > 0 for one customer or more.
MvaResult exact_mva(std::span<const Station> stations, std::uint32_t customers, double think = 0.0);

// A queue with several servers, each of which takes `demand` for a customer's work of a cycle: V S, seconds.
struct Queue {
  double demand = 0.0;
  std::uint32_t servers = 1;
};

// (R + Z), seconds of a cycle, exactly, in a network of such queues: by convolution (Buzen 1973), whose terms are all
// positive; mean value analysis of queues with several servers loses digits when they are busy. Takes customers² ×
// queues steps. REQUIRES: a customer, nothing is negative, and something takes time.
double cycle_time(std::span<const Queue> queues, std::uint32_t customers, double think = 0.0);

}  // namespace weft::predict
