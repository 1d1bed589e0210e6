#include "predict/computing_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <vector>

#include <Eigen/Dense>

namespace weft::predict {
namespace {

using Eigen::Index;

constexpr unsigned kRounds = 20;  // of fitting the trend and the effects in turn
// Usual sizes of what is fitted, in logarithms.
constexpr double kSpread = 0.04;        // of recorded computing
constexpr double kGrowthSpread = 0.15;  // of g
constexpr double kSeveralSpread = 0.3;  // of ln h
constexpr double kMachineSpread = 0.1;  // of a machine's ln f

double busy_cores_of_instance(const Configuration& where) {
  return std::max(1.0, static_cast<double>(where.busy_cores()) / where.instances);
}

// The runs on one instance, if they are of enough sizes for a trend; otherwise all.
std::vector<Observation> runs_of_trend(std::span<const Observation> runs) {
  std::vector<Observation> some;
  std::set<std::uint32_t> sizes;
  for (const Observation& run : runs) {
    if (run.where.instances == 1) {
      some.push_back(run);
      sizes.insert(run.where.ranks);
    }
  }
  return sizes.size() >= kSizesForTrend ? some : std::vector<Observation>(runs.begin(), runs.end());
}

}  // namespace

ComputingModel::ComputingModel(std::span<const Observation> runs) {
  const std::vector<Observation> of_trend = runs_of_trend(runs);
  for (const Observation& run : runs) {
    machines_[run.where.machine.name] = 0.0;
  }
  for (unsigned round = 0; round < kRounds; ++round) {
    fit_trend(of_trend);
    fit_effects(runs);
  }
  fit_trend(of_trend);
}

double ComputingModel::effect(const Configuration& where) const {
  const auto machine = machines_.find(where.machine.name);
  return std::pow(busy_cores_of_instance(where), growth_) *
         std::exp((where.instances > 1 ? several_ : 0.0) + (machine == machines_.end() ? 0.0 : machine->second)) /
         where.machine.speed;
}

double ComputingModel::at(const Configuration& where) const { return trend_.at(where.ranks) * effect(where); }

void ComputingModel::fit_trend(std::span<const Observation> runs) {
  std::vector<double> ranks;
  std::vector<double> values;
  for (const Observation& run : runs) {
    ranks.push_back(run.where.ranks);
    values.push_back(run.profile.computing() / effect(run.where));
  }
  trend_ = Trend(ranks, values, growing_forms());
}

void ComputingModel::fit_effects(std::span<const Observation> runs) {
  const auto unknowns = static_cast<Index>(machines_.size() + 2);  // g, ln h, then the machines
  const auto equations = static_cast<Index>(runs.size());
  Eigen::MatrixXd terms = Eigen::MatrixXd::Zero(equations + unknowns, unknowns);
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(equations + unknowns);
  for (Index i = 0; i < equations; ++i) {
    const Observation& run = runs[static_cast<std::size_t>(i)];
    const auto machine = std::distance(machines_.begin(), machines_.find(run.where.machine.name));
    terms(i, 0) = std::log(busy_cores_of_instance(run.where)) / kSpread;
    terms(i, 1) = run.where.instances > 1 ? 1.0 / kSpread : 0.0;
    terms(i, 2 + machine) = 1.0 / kSpread;
    sums(i) = std::log(run.profile.computing() * run.where.machine.speed / trend_.at(run.where.ranks)) / kSpread;
  }
  terms(equations, 0) = 1.0 / kGrowthSpread;
  terms(equations + 1, 1) = 1.0 / kSeveralSpread;
  for (Index i = 2; i < unknowns; ++i) {
    terms(equations + i, i) = 1.0 / kMachineSpread;
  }
  const Eigen::VectorXd fit = terms.colPivHouseholderQr().solve(sums);
  growth_ = fit(0);
  several_ = fit(1);
  Index index = 2;
  for (auto& [name, factor] : machines_) {
    factor = fit(index++);
  }
}

}  // namespace weft::predict
