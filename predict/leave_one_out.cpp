#include "predict/leave_one_out.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace weft::predict {
namespace {

bool are_left_out_together(LeaveOut what, const Configuration& one, const Configuration& other) {
  return what == LeaveOut::size ? one.ranks == other.ranks : one.machine.name == other.machine.name;
}

}  // namespace

bool can_leave_out(LeaveOut what, std::span<const Observation> observations) {
  return std::ranges::any_of(observations, [&](const Observation& run) {
    return !are_left_out_together(what, run.where, observations.front().where);
  });
}

Validation leave_one_out(const PredictorKind& kind, std::span<const Observation> observations, LeaveOut what) {
  base::check(can_leave_out(what, observations), "leaving out a size or machine leaves no other one");
  Validation validation;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    std::vector<Observation> others;
    for (const Observation& other : observations) {
      if (!are_left_out_together(what, other.where, observations[i].where)) {
        others.push_back(other);
      }
    }
    validation.runs.push_back({.run = i,
                               .predicted = kind.fit(others)->time(observations[i].where),
                               .measured = observations[i].profile.time});
  }
  for (const LeftOut& run : validation.runs) {
    const double error = std::abs(std::log(run.predicted / run.measured));
    validation.mape += std::abs(run.predicted / run.measured - 1.0) / static_cast<double>(validation.runs.size());
    // std::max() would drop a NaN.
    validation.worst_log = error < validation.worst_log ? validation.worst_log : error + 0.0 * validation.worst_log;
  }
  return validation;
}

}  // namespace weft::predict
