#include "predict/leave_one_out.hpp"

#include <cmath>

#include "base/check.hpp"

namespace weft::predict {

Validation leave_one_out(const PredictorKind& kind, std::span<const Observation> observations) {
  Validation validation;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    std::vector<Observation> others;
    for (const Observation& other : observations) {
      if (!same_size(other, observations[i])) {
        others.push_back(other);
      }
    }
    base::check(!others.empty(), "leaving out a size leaves no other one");
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
