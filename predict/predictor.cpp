#include "predict/predictor.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "predict/seer_model.hpp"
#include "predict/weft_model.hpp"
#include "sim/least_squares.hpp"

namespace weft::predict {
namespace {

class Nearest final : public Predictor {
 public:
  explicit Nearest(std::span<const Observation> runs) : runs_(runs.begin(), runs.end()) {}
  double time(const Configuration& configuration) const override {
    const auto distance = [&](const Observation& run) {
      return std::pair(std::abs(std::log(static_cast<double>(run.where.busy_cores()) / configuration.busy_cores())),
                       std::abs(std::log(static_cast<double>(run.where.ranks) / configuration.ranks)));
    };
    return std::ranges::min_element(runs_, {}, distance)->profile.time;
  }

 private:
  std::vector<Observation> runs_;
};

enum class ScalingLaw : bool { amdahl, usl };

class Scaling final : public Predictor {
 public:
  Scaling(std::span<const Observation> runs, ScalingLaw law) : law_(law) {
    std::vector<sim::Equation> equations;
    for (const Observation& run : runs) {
      equations.push_back({.coefficients = coefficients(run.where), .seconds = run.profile.time});
    }
    fit_ = sim::least_squares(equations).values;
  }
  double time(const Configuration& configuration) const override {
    const sim::Unknowns terms = coefficients(configuration);
    double sum = 0.0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      sum += terms[i] * fit_[i];
    }
    return sum;
  }
  std::string summary() const override {
    return law_ == ScalingLaw::amdahl
               ? fmt::format("T(p) = {:.4g}/p + {:.4g} s", fit_[0], fit_[1])
               : fmt::format("T(p) = {:.4g}/p + {:.4g} + {:.4g}(p - 1) s", fit_[0], fit_[1], fit_[2]);
  }

 private:
  [[nodiscard]] sim::Unknowns coefficients(const Configuration& where) const {
    const double cores = where.busy_cores();
    const double speed = where.machine.effective_speed();
    return {1.0 / (cores * speed), 1.0 / speed, law_ == ScalingLaw::usl ? (cores - 1.0) / speed : 0.0, 0.0};
  }

  ScalingLaw law_;
  sim::Unknowns fit_{};
};

SeerSetting seer_setting(const Configuration& where) {
  return {.processes_on = where.ranks_on(),
          .cores = where.machine.cores,
          .speed = where.machine.effective_speed(),
          .seconds_per_byte = where.machine.network.seconds_per_byte};
}

std::vector<SeerModel::Run> seer_runs(std::span<const Observation> runs) {
  std::vector<SeerModel::Run> all;
  for (const Observation& run : runs) {
    all.push_back({.profile = {.processes = static_cast<double>(run.where.ranks),
                               .sends = std::max(1.0, run.profile.sends_per_rank()),
                               .message_bytes = run.profile.bytes_per_send(),
                               .wait = run.profile.idle_of_worker(run.where.machine.quota),
                               .time = run.profile.time},
                   .setting = seer_setting(run.where)});
  }
  return all;
}

class Seer final : public Predictor {
 public:
  explicit Seer(std::span<const Observation> runs) : model_(seer_runs(runs)) {}
  double time(const Configuration& configuration) const override { return model_.time(seer_setting(configuration)); }
  std::string summary() const override {
    return fmt::format(
        "s(n) = {:.4g} ln n + {:.4g}, m(n) = {:.4g}/n + {:.4g} B, CPU_Constant {:.4g}, Net_Constant {:.4g}{}",
        model_.sends().c, model_.sends().d, model_.messages().a, model_.messages().b, model_.constants().cpu,
        model_.constants().net, model_.report().net_determined ? "" : " (no profile over several hosts determines it)");
  }

 private:
  SeerModel model_;
};

}  // namespace

std::unique_ptr<Predictor> fit_nearest(std::span<const Observation> runs) { return std::make_unique<Nearest>(runs); }
std::unique_ptr<Predictor> fit_amdahl(std::span<const Observation> runs) {
  return std::make_unique<Scaling>(runs, ScalingLaw::amdahl);
}
std::unique_ptr<Predictor> fit_usl(std::span<const Observation> runs) {
  return std::make_unique<Scaling>(runs, ScalingLaw::usl);
}
std::unique_ptr<Predictor> fit_seer(std::span<const Observation> runs) { return std::make_unique<Seer>(runs); }

std::vector<PredictorKind> predictors() {
  return {
      PredictorKind{.name = "weft", .what = "level 1: with what Weft records", .fit = fit_weft},
      PredictorKind{.name = "seer", .what = "level 0: HPCCloud Seer as printed", .fit = fit_seer},
      PredictorKind{.name = "nearest", .what = "as long as the nearest size", .fit = fit_nearest},
      PredictorKind{.name = "amdahl", .what = "Amdahl's law", .fit = fit_amdahl},
      PredictorKind{.name = "usl", .what = "universal scalability law", .fit = fit_usl},
  };
}

std::size_t index_of(std::string_view name, std::span<const PredictorKind> kinds) {
  std::vector<std::string_view> names;
  for (const PredictorKind& kind : kinds) {
    if (kind.name == name) {
      return names.size();
    }
    names.push_back(kind.name);
  }
  throw PredictError(fmt::format("there is no model {}; there are {}", name, fmt::join(names, ", ")));
}

}  // namespace weft::predict
