// How much CPU time all ranks of a program compute, by the number of ranks and the machine.
#pragma once

#include <map>
#include <span>
#include <string>

#include "predict/observation.hpp"
#include "predict/trend.hpp"

namespace weft::predict {

// W = w(n) · b^g · h · f_m / speed: a trend of the number of ranks n; b busy cores of an instance, which share caches
// and memory; a factor h if there are several instances, since the system's work for their messages counts as the
// ranks' CPU time; a factor of each machine with a profile. The trend is that of the runs on one instance, where there
// are some of three sizes. g, ln h and ln f are fitted by least squares, with a penalty for their distance from 0,
// since a few profiles do not determine all of them.
class ComputingModel {
 public:
  // REQUIRES: at least one run, all with computing.
  explicit ComputingModel(std::span<const Observation> runs);

  // Seconds of CPU time of all ranks together.
  [[nodiscard]] double at(const Configuration& where) const;
  [[nodiscard]] const Trend& trend() const { return trend_; }
  [[nodiscard]] double growth() const { return growth_; }  // g

 private:
  [[nodiscard]] double effect(const Configuration& where) const;  // b^g · h · f_m / speed
  void fit_trend(std::span<const Observation> runs);
  void fit_effects(std::span<const Observation> runs);

  double growth_ = 0.0;
  double several_ = 0.0;                    // ln h
  std::map<std::string, double> machines_;  // ln f by name
  Trend trend_;
};

}  // namespace weft::predict
