// Queries OpenMP's library, which all ranks of a process share.
#pragma once

#include <cstdint>

namespace weft::image {

// The library's omp_get_level(): the number of nested parallel regions around the calling thread. Null while no OpenMP
// is loaded.
using OpenmpLevel = int (*)();
OpenmpLevel find_openmp_level();

// The calling thread's place: its numbers in the teams of all parallel regions around it, combined into one value. The
// same place has the same value in every region. 0 outside of regions, for the thread that is number 0 in all teams, in
// more than four nested regions, and in a league of several teams.
std::uint64_t place_in_teams();

// True if each thread stays in one place, as with GCC's library, which ends threads that a team does not need. False
// with LLVM's and Intel's libraries, which keep such threads for any other team, and where GCC's has places
// (OMP_PLACES, OMP_PROC_BIND), since it then assigns them anew.
bool threads_keep_their_places();

}  // namespace weft::image
