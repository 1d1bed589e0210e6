// Collective calls by messages alone, for communicators whose members live in several processes. Arguments are checked;
// members that pass different ones are not told so. Each call suspends, and returns MPI_SUCCESS or the error raised.
#pragma once

#include <functional>

#include "mpi_shim/collective/reduction.hpp"
#include "mpi_shim/collective/rooted.hpp"
#include "mpi_shim/peers.hpp"

namespace weft::mpi_shim::spread {

int barrier(const Entry& entry, const Communicator& comm);
int bcast(const Entry& entry, const Communicator& comm, const runtime::Buffer& buffer, int root);
int gather(const Entry& entry, const RootedCall& call, const Rooted& rooted);
int scatter(const Entry& entry, const RootedCall& call, const Rooted& rooted);
// The member's own block is where it belongs.
int allgather(const Entry& entry, const Communicator& comm, const Blocks& places);
// `blocks` and `places` do not overlap.
int alltoall(const Entry& entry, const Communicator& comm, const Blocks& blocks, const Blocks& places);
// Every outcome. The input may be the output.
int reduce_together(const Entry& entry, const Communicator& comm, const Reduction& reduction);

// The same between the groups of an intercommunicator; a root of MPI_PROC_NULL has nothing to do.
int inter_barrier(const Entry& entry, const Communicator& comm);
int inter_bcast(const Entry& entry, const Communicator& comm, const runtime::Buffer& buffer, int root);
int inter_gather(const Entry& entry, const Communicator& comm, const runtime::Buffer& own, const Blocks& places,
                 int root);
int inter_scatter(const Entry& entry, const Communicator& comm, const Blocks& blocks, const runtime::Buffer& own,
                  int root);
int inter_allgather(const Entry& entry, const Communicator& comm, const runtime::Buffer& own, const Blocks& places);
int inter_alltoall(const Entry& entry, const Communicator& comm, const Blocks& blocks, const Blocks& places);
int inter_reduce(const Entry& entry, const Communicator& comm, const Reduction& reduction);

// --- what these are made of ---

inline Peers members(const Entry& entry, const Communicator& comm, Collective call) {
  return Peers::within(entry.me, comm, static_cast<int>(call));
}

// Hands the root's bytes to all: down the tree, a long message in pieces. The most bytes that anyone was sent, of
// those that this member knows of.
std::uint64_t hand_down(const Peers& peers, int root, const runtime::Buffer& buffer);

// Block i is member i's; at the end all have all.
using BlockOf = std::function<runtime::Buffer(int member)>;
void pass_around(const Peers& peers, const BlockOf& block);

}  // namespace weft::mpi_shim::spread
