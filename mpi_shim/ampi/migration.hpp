// What a program has registered for its rank's moves, and what happens on the rank's fibre before and after each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi.h"
#include "mpi_shim/state/rank_part.hpp"
#include "pup/pup.hpp"
#include "runtime/control/rank.hpp"

namespace weft::mpi_shim {
inline namespace ampi {

// Of one rank.
struct Migration final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::migration;
  struct PupFunction {
    MPI_PupFn function = nullptr;
    void* data = nullptr;
    std::vector<std::byte> packed;  // on the way
    void pup(pup::Puper& p);
  };

  std::vector<PupFunction> pup_functions;  // by the index that AMPI_Register_pup has returned
  std::vector<MPI_MigrateFn> before;
  std::vector<MPI_MigrateFn> after;
  std::uint64_t moves = 0;  // so far

  // What the attributes AMPI_MY_WTH … point to.
  int worker = 0;
  int worker_count = 0;
  int process = 0;
  int process_count = 0;
  int home_worker = 0;  // where it began

  void pup(pup::Puper& p, RankState& me) override;
};

// runtime::UpperLayer's. MPI calls in the functions that they call end the job with a line that says so.
void about_to_move(RankState& me, bool leaves_process);
void just_moved(RankState& me, bool new_process);

// The address of a value of AMPI_MY_WTH …, brought up to date; null for other numbers.
int* place_attribute(RankState& me, int number);

}  // namespace ampi
}  // namespace weft::mpi_shim
