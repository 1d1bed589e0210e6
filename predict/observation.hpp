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

// The machines and the number of ranks of a run. Instances have consecutive ranks, in numbers as equal as possible.
struct Configuration {
  Machine machine;
  std::uint32_t instances = 1;
  std::uint32_t ranks = 1;

  [[nodiscard]] std::uint32_t cores() const { return instances * machine.cores; }
  [[nodiscard]] std::uint32_t busy_cores() const { return ranks < cores() ? ranks : cores(); }
  [[nodiscard]] double ratio() const { return static_cast<double>(ranks) / busy_cores(); }
  // By instance: its number of ranks.
  [[nodiscard]] std::vector<std::uint32_t> ranks_on() const;
};

struct Observation {
  Profile profile;
  Configuration where;
};

// `machine`: on which the run was recorded; the profile has the numbers of instances and workers.
Observation observation_of(Profile profile, const Machine& machine);

// Whether both are of the same numbers of ranks, cores and instances of the same machine.
bool same_setting(const Observation& one, const Observation& other);

class PredictError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t kLeastSizes = 3;    // different numbers of ranks (the paper, section V-C)
inline constexpr double kMostDifference = 1.25;  // ratio of the times of runs of the same setting
inline constexpr double kWantedSpan = 4.0;       // ratio of the longest to the shortest time

// Throws PredictError, one line that says what is missing, if the profiles do not suffice for predictions: fewer than
// three numbers of ranks, several programs, runs that failed or computed nothing, or runs of the same setting whose
// times differ by more than a quarter.
void check_observations(std::span<const Observation> observations);

// The ratio of the longest to the shortest time.
double span_of_times(std::span<const Observation> observations);

}  // namespace weft::predict
