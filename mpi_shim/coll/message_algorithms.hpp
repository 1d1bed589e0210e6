// Collective calls by messages alone: blocking ones where members live in several processes, and all that have a
// request. Each is written once, as the steps of a CollectiveSteps. Arguments are checked; members that pass different
// ones are not told so.
#pragma once

#include <functional>

#include "mpi_shim/coll/reduce/reduction.hpp"
#include "mpi_shim/coll/rooted.hpp"
#include "mpi_shim/coll/steps.hpp"

namespace weft::mpi_shim::spread {

void barrier(CollectiveSteps& steps);
void bcast(CollectiveSteps& steps, const runtime::Buffer& buffer, int root);
void gather(CollectiveSteps& steps, const RootedCall& call, const Rooted& rooted);
void scatter(CollectiveSteps& steps, const RootedCall& call, const Rooted& rooted);
// The member's own block is where it belongs.
void allgather(CollectiveSteps& steps, const Blocks& places);
// `blocks` and `places` do not overlap.
void alltoall(CollectiveSteps& steps, const Blocks& blocks, const Blocks& places);
// Every outcome. The input may be the output.
void reduce(CollectiveSteps& steps, const Reduction& reduction);

// The same between the groups of an intercommunicator; a root of MPI_PROC_NULL has nothing to do.
void inter_barrier(CollectiveSteps& steps);
void inter_bcast(CollectiveSteps& steps, const runtime::Buffer& buffer, int root);
void inter_gather(CollectiveSteps& steps, const runtime::Buffer& own, const Blocks& places, int root);
void inter_scatter(CollectiveSteps& steps, const Blocks& blocks, const runtime::Buffer& own, int root);
void inter_allgather(CollectiveSteps& steps, const runtime::Buffer& own, const Blocks& places);
void inter_alltoall(CollectiveSteps& steps, const Blocks& blocks, const Blocks& places);
void inter_reduce(CollectiveSteps& steps, const Reduction& reduction);

// --- what these are made of ---

// Up the tree: at the root, all have come. Down again: all hear of it.
void come_up(CollectiveSteps& steps, const Peers& peers, const Tree& tree);
void go_down(CollectiveSteps& steps, const Peers& peers, const Tree& tree);

// Hands the root's bytes to all: down the tree, a long message in pieces.
void hand_down(CollectiveSteps& steps, const Peers& peers, int root, const runtime::Buffer& buffer);

// Block i is member i's; at the end all have all.
using BlockOf = std::function<runtime::Buffer(int member)>;
void pass_around(CollectiveSteps& steps, const Peers& peers, const BlockOf& block);

}  // namespace weft::mpi_shim::spread
