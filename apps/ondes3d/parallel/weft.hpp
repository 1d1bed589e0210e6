// The few functions that only Weft offers. With another MPI they do nothing, except that AMPI moves ranks too.
#pragma once

#include <mpi.h>

#ifdef WEFT_VERSION
#include <pup.h>
#endif

namespace ondes3d {

// Collective: a place where the balancer may move this rank.
void let_ranks_move();

// Workers of the job, 0 where the notion does not exist, and the one that runs this rank now.
[[nodiscard]] int worker_count();
[[nodiscard]] int current_worker();

// From now on pup(puper, object) is called when this rank leaves its process and when it has arrived; null: nothing is.
using PupFunction = void (*)(void* puper, void* object);
void pup_in_moves(PupFunction pup, void* object);

// As long as it lives, a rank that leaves its process sends what object.pup(p) names packed. One at a time.
template <typename Object>
class PackedInMoves {
 public:
  explicit PackedInMoves([[maybe_unused]] Object& object) {
#ifdef WEFT_VERSION
    pup_in_moves([](void* puper, void* data) { static_cast<Object*>(data)->pup(*static_cast<PUP::er*>(puper)); },
                 &object);
#endif
  }
  PackedInMoves(const PackedInMoves&) = delete;
  PackedInMoves& operator=(const PackedInMoves&) = delete;
  ~PackedInMoves() { pup_in_moves(nullptr, nullptr); }
};

}  // namespace ondes3d
