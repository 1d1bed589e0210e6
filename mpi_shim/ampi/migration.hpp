// The callbacks that a program has registered for moves of its rank, and their calls before and after a move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi.h"
#include "mpi_shim/state/rank_part.hpp"
#include "pup/pup.hpp"
#include "runtime/control/rank.hpp"

namespace weft::mpi_shim {
inline namespace entry {
class Entry;
}  // namespace entry

inline namespace ampi {

// The callbacks that one rank has registered, and its location attributes.
struct Migration final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::migration;
  struct PupFunction {
    MPI_PupFn function = nullptr;
    void* data = nullptr;
    std::vector<std::byte> packed;  // what the function has packed, while the rank moves to another process
    void pup(pup::Puper& p);
  };

  std::vector<PupFunction> pup_functions;  // by the index that AMPI_Register_pup has returned
  std::vector<MPI_MigrateFn> before;
  std::vector<MPI_MigrateFn> after;
  std::uint64_t moves = 0;  // so far

  // The values of the attributes AMPI_MY_WTH …
  int worker = 0;
  int worker_count = 0;
  int process = 0;
  int process_count = 0;
  int home_worker = 0;  // on which the rank began

  void pup(pup::Puper& p, RankState& me) override;
};

// See runtime::UpperLayer. They run on the rank's fibre; an MPI call in a callback ends the job with a line that says
// so.
void about_to_move(RankState& me, bool leaves_process);
void just_moved(RankState& me, bool new_process);

// For a call that can move the rank, made while MPI calls a function of the program: an error code for it to return.
int refuse_in_callback(const Entry& entry);

// The address of the up-to-date value of the attribute AMPI_MY_WTH …; null for other key values.
int* location_attribute(RankState& me, int number);

}  // namespace ampi
}  // namespace weft::mpi_shim
