// The few things that only Weft offers; with any other MPI they do nothing.
#pragma once

namespace ondes3d {

// Collective: a place where the balancer may move this rank.
void let_ranks_move();

// Workers of the job, 0 where the notion does not exist, and the one that runs this rank now.
[[nodiscard]] int worker_count();
[[nodiscard]] int current_worker();

}  // namespace ondes3d
