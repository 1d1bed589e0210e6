// A model that predicts by replaying recordings, as weftsim does.
#pragma once

#include <functional>

#include "predict/predictor.hpp"
#include "sim/platform.hpp"

namespace weft::predict {

// Of the recordings with at least one rank for each core, replays the one with the nearest number of ranks on the
// wanted machine. There is no answer if no recording has enough ranks or it cannot be replayed. Costs within a host are
// those of `measured`, between hosts those of the catalogue. `show` gets the number of replays done so far.
PredictorKind replay_kind(const sim::Platform& measured, const std::function<void(std::size_t)>& show);

}  // namespace weft::predict
