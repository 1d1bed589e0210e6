#include "lb/load_model.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "lb/parse.hpp"

namespace weft::lb {
namespace {

constexpr double kNothing = -1.0;

class Last final : public LoadModel {
 public:
  [[nodiscard]] std::size_t depth() const override { return 1; }
  [[nodiscard]] std::vector<double> predict(const LoadHistory& history) const override {
    return history.intervals().empty() ? std::vector<double>{} : history.intervals().back().work;
  }
};

// p = p + f (x - p) from the oldest interval on; with f = 1/2 the aging of Righi 2009 (PI, CTP; section 4.6.1).
class ExponentialMean final : public LoadModel {
 public:
  explicit ExponentialMean(double factor) : factor_(factor) {}
  // All older intervals together have a weight below 1 %.
  [[nodiscard]] std::size_t depth() const override {
    std::size_t intervals = 1;
    for (double rest = 1.0 - factor_; rest > 0.01 && intervals < 64; rest *= 1.0 - factor_) {
      ++intervals;
    }
    return intervals;
  }
  [[nodiscard]] std::vector<double> predict(const LoadHistory& history) const override {
    std::vector<double> mean;
    for (const LoadInterval& interval : history.intervals()) {
      if (mean.size() != interval.work.size()) {
        mean = interval.work;
        continue;
      }
      for (std::size_t rank = 0; rank < mean.size(); ++rank) {
        mean[rank] += factor_ * (interval.work[rank] - mean[rank]);
      }
    }
    return mean;
  }

 private:
  double factor_;
};

// The line of least squares through the last intervals, one interval further; never below 0.
class LinearTrend final : public LoadModel {
 public:
  explicit LinearTrend(std::size_t intervals) : intervals_(intervals) {}
  [[nodiscard]] std::size_t depth() const override { return intervals_; }
  [[nodiscard]] std::vector<double> predict(const LoadHistory& history) const override {
    const auto& all = history.intervals();
    const std::size_t count = std::min(intervals_, all.size());
    const auto first = all.end() - static_cast<std::ptrdiff_t>(count);
    if (count < 3 || std::any_of(first, all.end(), [&](const auto& interval) {
          return interval.work.size() != all.back().work.size();
        })) {
      return Last().predict(history);
    }
    const std::vector<double> weights = next_value_weights(count);
    std::vector<double> next(all.back().work.size());
    for (std::size_t t = 0; t < count; ++t) {
      const LoadInterval& interval = first[static_cast<std::ptrdiff_t>(t)];
      for (std::size_t rank = 0; rank < next.size(); ++rank) {
        next[rank] += weights[t] * interval.work[rank];
      }
    }
    for (double& value : next) {
      value = std::max(0.0, value);
    }
    return next;
  }

 private:
  // The fitted line's value at t = n is a sum over the values at 0 … n-1 with these weights:
  // 1/n + (n - m)(t - m) / sum (t - m)^2, where m is the mean of t.
  static std::vector<double> next_value_weights(std::size_t count) {
    const auto n = static_cast<double>(count);
    const double middle = (n - 1.0) / 2.0;
    const double squares = n * (n * n - 1.0) / 12.0;
    std::vector<double> weights;
    for (std::size_t t = 0; t < count; ++t) {
      weights.push_back(1.0 / n + (n - middle) * (static_cast<double>(t) - middle) / squares);
    }
    return weights;
  }

  std::size_t intervals_;
};

class UserGiven final : public LoadModel {
 public:
  [[nodiscard]] std::size_t depth() const override { return 1; }
  [[nodiscard]] std::vector<double> predict(const LoadHistory& history) const override {
    if (history.intervals().empty()) {
      return {};
    }
    const LoadInterval& interval = history.intervals().back();
    return interval.given.empty() ? std::vector<double>(interval.work.size(), kNothing) : interval.given;
  }
};

class FirstThatKnows final : public LoadModel {
 public:
  explicit FirstThatKnows(std::vector<std::unique_ptr<LoadModel>> models) : models_(std::move(models)) {}
  [[nodiscard]] std::size_t depth() const override {
    std::size_t depth = 1;
    for (const auto& model : models_) {
      depth = std::max(depth, model->depth());
    }
    return depth;
  }
  [[nodiscard]] std::vector<double> predict(const LoadHistory& history) const override {
    std::vector<double> work = models_.front()->predict(history);
    for (std::size_t i = 1; i < models_.size(); ++i) {
      if (std::none_of(work.begin(), work.end(), [](double value) { return value < 0.0; })) {
        break;
      }
      const std::vector<double> other = models_[i]->predict(history);
      for (std::size_t rank = 0; rank < work.size(); ++rank) {
        work[rank] = work[rank] < 0.0 ? other[rank] : work[rank];
      }
    }
    return work;
  }

 private:
  std::vector<std::unique_ptr<LoadModel>> models_;
};

std::unique_ptr<LoadModel> make_last(std::string_view) { return std::make_unique<Last>(); }
std::unique_ptr<LoadModel> make_user(std::string_view) { return std::make_unique<UserGiven>(); }
std::unique_ptr<LoadModel> make_mean(std::string_view argument) {
  return std::make_unique<ExponentialMean>(parse_number("mean", argument, 0.5, {0.01, 1.0}));
}
std::unique_ptr<LoadModel> make_trend(std::string_view argument) {
  return std::make_unique<LinearTrend>(parse_count("trend", argument, 8, {3, 64}));
}

constexpr std::array kModels = {
    LoadModelInfo{"last", "", "As in the last interval.", make_last},
    LoadModelInfo{"mean", "FACTOR", "Exponential mean; the last interval counts FACTOR (0.5).", make_mean},
    LoadModelInfo{"trend", "INTERVALS", "Linear trend through the last INTERVALS (8).", make_trend},
    LoadModelInfo{"user", "", "What the rank gave itself (AMPI_Load_set_value).", make_user},
};

}  // namespace

void LoadHistory::add(LoadInterval interval) {
  intervals_.push_back(std::move(interval));
  while (intervals_.size() > depth_) {
    intervals_.pop_front();
  }
}

double calls_of_interval(std::uint64_t last_call, std::uint64_t call) {
  return static_cast<double>(call > last_call ? call - last_call : 1);
}

std::vector<double> predict_interval(const LoadModel& model, const LoadHistory& history, double calls) {
  std::vector<double> work = model.predict(history);
  for (double& seconds : work) {
    seconds *= calls;
  }
  return work;
}

std::span<const LoadModelInfo> load_models() { return kModels; }

std::unique_ptr<LoadModel> make_load_model(std::string_view text) {
  std::vector<std::unique_ptr<LoadModel>> models;
  for (const std::string_view part : base::split_words(text, '/')) {
    const NameAndArgument parsed = split_argument(part);
    models.push_back(find_row(std::span<const LoadModelInfo>(kModels), "load model", parsed).make(parsed.argument));
  }
  models.push_back(make_last({}));
  return std::make_unique<FirstThatKnows>(std::move(models));
}

std::vector<double> measured_work(const Instance& measured) {
  std::vector<double> work(measured.ranks.size());
  for (const RankLoad& rank : measured.ranks) {
    base::check(number(rank.rank) < work.size(), "an instance has its ranks numbered from 0");
    work[number(rank.rank)] = rank.seconds * measured.workers[number(rank.home)].speed;
  }
  return work;
}

std::vector<double> given_work(std::span<const double> work, std::span<const RankId> declared) {
  std::vector<double> given(declared.empty() ? 0 : work.size(), kNothing);
  for (const RankId rank : declared) {
    given[number(rank)] = work[number(rank)];
  }
  return given;
}

Instance with_work(Instance instance, std::span<const double> work) {
  for (RankLoad& rank : instance.ranks) {
    base::check(number(rank.rank) < work.size(), "there is a prediction for every rank");
    rank.seconds = work[number(rank.rank)] / instance.workers[number(rank.home)].speed;
  }
  return instance;
}

}  // namespace weft::lb
