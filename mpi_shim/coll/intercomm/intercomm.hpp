// Collective calls on intercommunicators: in one process members read what the members of the other group publish.
#pragma once

#include <vector>

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/coll/reduction_arguments.hpp"
#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// What the members of the other group publish in one call.
class OtherGroup {
 public:
  // Publishes `mine` to the other group, and suspends until all members of both groups have done so.
  OtherGroup(const Entry& entry, const Communicator& comm, const void* mine);
  OtherGroup(const OtherGroup&) = delete;
  OtherGroup& operator=(const OtherGroup&) = delete;

  // What a member of the other group has published. Valid until done().
  template <typename T>
  const T* published(std::size_t member) const {
    return static_cast<const T*>(theirs_[member]);
  }
  // Suspends until all members of both groups have finished reading.
  void done();

 private:
  std::uint64_t swap_words(std::uint64_t word) const;  // between the members 0 of the two groups
  void barrier() const;

  const Entry& entry_;
  const Communicator& comm_;
  std::vector<const void*> ours_;  // at member 0: what this group publishes
  const void* const* theirs_ = nullptr;
};

// Raises MPI_ERR_BUFFER for MPI_IN_PLACE.
int raise_in_place(const Entry& entry, const Communicator& comm);

// The calls on a communicator that is_inter(), with checked arguments. MPI_SUCCESS or the error raised.
int inter_barrier(const Entry& entry, const Communicator& comm);
// A rooted call at members of the root's group that are not the root. In memory they take part in the call's barriers;
// by messages they have nothing to do.
int inter_non_root(const Entry& entry, const Communicator& comm);
int inter_bcast(const Entry& entry, const Communicator& comm, const runtime::Buffer& buffer, int root);
// `places`, and `blocks` in a scatter, are used at the root; `own` at the members of the other group.
int inter_gather(const Entry& entry, const Communicator& comm, const runtime::Buffer& own, const Blocks& places,
                 int root);
int inter_scatter(const Entry& entry, const Communicator& comm, const Blocks& blocks, const runtime::Buffer& own,
                  int root);
int inter_allgather(const Entry& entry, const Communicator& comm, const runtime::Buffer& own, const Blocks& places);
int inter_alltoall(const Entry& entry, const Communicator& comm, const Blocks& blocks, const Blocks& places);
// REQUIRES: reduction.outcome is at_root, at_all or scattered.
int inter_reduce(const Entry& entry, const Communicator& comm, const Reduction& reduction);

}  // namespace coll
}  // namespace weft::mpi_shim
