// Runs that were measured, and runs to predict.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "predict/catalogue.hpp"
#include "predict/profile.hpp"

namespace weft::predict {

// A run's machines and ranks. Ranks lie on the instances in blocks of equal size, as far as they go.
struct Configuration {
  Machine machine;
  std::uint32_t instances = 1;
  std::uint32_t ranks = 1;

  [[nodiscard]] std::uint32_t cores() const { return instances * machine.cores; }
  [[nodiscard]] std::uint32_t busy_cores() const { return ranks < cores() ? ranks : cores(); }
  [[nodiscard]] double ratio() const { return static_cast<double>(ranks) / busy_cores(); }
  // By instance, the ranks on it.
  [[nodiscard]] std::vector<std::uint32_t> ranks_on() const;
};

struct Observation {
  Profile profile;
  Configuration where;
};

// `machine`: what the run was recorded on; the recording says how many instances and workers.
Observation observation_of(Profile profile, const Machine& machine);

// Whether both are of the same size: ranks, cores and instances.
bool same_size(const Observation& one, const Observation& other);

class PredictError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t kLeastSizes = 3;    // numbers of ranks (the paper, section V-C)
inline constexpr double kMostDifference = 1.25;  // between times of runs of one size
inline constexpr double kWantedSpan = 4.0;       // longest over shortest time

// Throws PredictError, in one line that says what is missing, for profiles from which nothing can be predicted: fewer
// than three numbers of ranks, several programs, runs that failed or computed nothing, runs of one size whose times
// differ by more than a quarter.
void check_observations(std::span<const Observation> observations);

// Longest over shortest time.
double span_of_times(std::span<const Observation> observations);

}  // namespace weft::predict
