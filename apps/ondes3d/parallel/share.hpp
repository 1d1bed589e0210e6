// What rank 0 read, given to the others: each rank gets the small things and the sources that reach it.
#pragma once

#include <mpi.h>

#include "input/case.hpp"
#include "parallel/decomposition.hpp"

namespace ondes3d {

// Collective. Rank 0 calls with its result of reading; false there makes it false everywhere.
[[nodiscard]] bool agree(MPI_Comm comm, bool ok);

// Collective. Rank 0's text, on all ranks.
[[nodiscard]] std::string share_text(MPI_Comm comm, std::string text);

// Collective. Grid, rock, CPML settings and stations of rank 0 to all; sources stay where they are.
void share_model(MPI_Comm comm, Case& c);

// Collective. Leaves each rank the part of rank 0's geology that its cells need, if there is one.
void share_geology(MPI_Comm comm, Case& c, const Decomposition& blocks);

// Collective. Takes the sources from rank 0's case and returns those that touch this rank's cells, in file order.
[[nodiscard]] std::vector<Source> share_sources(MPI_Comm comm, const Grid& grid, const Decomposition& columns,
                                                std::vector<Source> all);

}  // namespace ondes3d
