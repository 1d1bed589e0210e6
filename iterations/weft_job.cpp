#include "iterations/weft_job.hpp"

#include <mpi.h>

#include <cstdio>

namespace weft::iterations {

#ifdef WEFT_VERSION  // of Weft's mpi.h

void report_rank_balancing() {
  static bool reported = false;
  if (!reported && weft_ranks_are_balanced() != 0) {
    std::fputs(
        "weft_iterations: this library shares out the iterations, and Weft moves the ranks as well; start such a "
        "program without --lb and --lb-continuous\n",
        stderr);
    reported = true;
  }
}

void publish_prediction(const Prediction& prediction) {
  weft_note_prediction(prediction.seconds_left, prediction.spread);
}

#else

void report_rank_balancing() {}
void publish_prediction(const Prediction& /*prediction*/) {}

#endif

}  // namespace weft::iterations
