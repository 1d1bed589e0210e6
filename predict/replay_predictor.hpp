// weftsim's replay as one model among others.
#pragma once

#include <functional>

#include "predict/predictor.hpp"
#include "sim/platform.hpp"

namespace weft::predict {

// Replays the recording with the nearest number of ranks, of those with a rank for each core, on the wanted machine.
// There is no answer where no recording has so many ranks, or where it cannot be replayed. Costs within a host are
// those of `measured`, between hosts those of the catalogue. `show` is told how many replays have been done.
PredictorKind replay_kind(const sim::Platform& measured, const std::function<void(std::size_t)>& show);

}  // namespace weft::predict
