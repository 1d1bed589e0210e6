// What rank 0 read, given to the others: each rank gets the small things and the sources that reach it.
#pragma once

#include <mpi.h>

#include "input/case.hpp"
#include "parallel/decomposition.hpp"
#include "physics/divergence.hpp"

namespace ondes3d {

// Collective. Rank 0 calls with its result of reading; false there makes it false everywhere.
[[nodiscard]] bool agree(MPI_Comm comm, bool ok);

// Collective. Rank 0's text, on all ranks.
[[nodiscard]] std::string share_text(MPI_Comm comm, std::string text);

// Collective. Grid, rock, CPML settings and stations of rank 0 to all; sources stay where they are.
void share_model(MPI_Comm comm, Case& c);

// Collective. Of rank 0's sources, to all.
[[nodiscard]] SourceStrength share_strength(MPI_Comm comm, const std::vector<Source>& sources);

// Collective. What the ranks need against the memory that there is: on rank 0 the complaint of shortage(), empty where
// the run fits. `c` counts on rank 0, with its geology.
[[nodiscard]] std::string check_memory(MPI_Comm comm, const Case& c, const Decomposition& blocks,
                                       std::size_t bytes_per_value);

// Collective. Leaves each rank the part of rank 0's geology that its cells need, if there is one.
void share_geology(MPI_Comm comm, Case& c, const Decomposition& blocks);

// Collective. Takes the sources from rank 0's case and returns those that touch this rank's cells, in file order.
[[nodiscard]] std::vector<Source> share_sources(MPI_Comm comm, const Grid& grid, const Decomposition& columns,
                                                std::vector<Source> all);

}  // namespace ondes3d
