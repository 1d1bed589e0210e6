// What the library tells Weft and asks it about the job. With another MPI these functions do nothing.
#pragma once

#include "iterations/task.hpp"

namespace weft::iterations {

// Says on standard error, once for each rank that calls it, if Weft balances the ranks too: then both answer to the
// same imbalance.
void report_rank_balancing();

// For the page of weftrun --lb-report.
void publish_prediction(const Prediction& prediction);

}  // namespace weft::iterations
