// OpenMP's library, which all ranks of a process share.
#pragma once

#include <cstdint>

namespace weft::image {

// Its omp_get_level(): in how many parallel regions, one inside of the other, the calling thread is. Null while no
// OpenMP is loaded.
using OpenmpLevel = int (*)();
OpenmpLevel find_openmp_level();

// Which thread the calling one is in the teams of the parallel regions around it: the same number in each region. 0
// outside of regions, for the thread that is number 0 in all of them, in more than four regions one inside of the
// other, and in a league of several teams.
std::uint64_t place_in_teams();

// Whether a thread is in one place only, as with GCC's library, which ends threads that a team does without; but where
// it has places (OMP_PLACES, OMP_PROC_BIND) it deals them out anew. LLVM's and Intel's keep threads for any other team.
bool threads_keep_their_places();

}  // namespace weft::image
