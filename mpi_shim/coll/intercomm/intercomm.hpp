// Collective calls on intercommunicators: members read what the members of the other group show.
#pragma once

#include <vector>

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/coll/reduction_arguments.hpp"
#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// One call's view of the other group.
class OtherGroup {
 public:
  // Shows `mine` to the other group, and suspends until all members of both groups have come.
  OtherGroup(const Entry& entry, const Communicator& comm, const void* mine);
  OtherGroup(const OtherGroup&) = delete;
  OtherGroup& operator=(const OtherGroup&) = delete;

  // What a member of the other group shows. Good until done().
  template <typename T>
  const T* shown(std::size_t member) const {
    return static_cast<const T*>(theirs_[member]);
  }
  // Suspends until all members of both groups are done with reading.
  void done();

 private:
  std::uint64_t swap_words(std::uint64_t word) const;  // with the other group's member 0, by this group's
  void barrier() const;

  const Entry& entry_;
  const Communicator& comm_;
  std::vector<const void*> ours_;  // member 0 keeps them for the other group
  const void* const* theirs_ = nullptr;
};

// Complains about MPI_IN_PLACE.
int raise_in_place(const Entry& entry, const Communicator& comm);

// The calls on a communicator that is_inter(), with checked arguments. MPI_SUCCESS or the error raised.
int inter_barrier(const Entry& entry, const Communicator& comm);
// What a member of the root's group that is not the root does in a rooted call.
int inter_stand_by(const Entry& entry, const Communicator& comm);
int inter_bcast(const Entry& entry, const Communicator& comm, const runtime::Buffer& buffer, int root);
// `places`, and `blocks` in a scatter, are the root's; `own` is that of the members of the other group.
int inter_gather(const Entry& entry, const Communicator& comm, const runtime::Buffer& own, const Blocks& places,
                 int root);
int inter_scatter(const Entry& entry, const Communicator& comm, const Blocks& blocks, const runtime::Buffer& own,
                  int root);
int inter_allgather(const Entry& entry, const Communicator& comm, const runtime::Buffer& own, const Blocks& places);
int inter_alltoall(const Entry& entry, const Communicator& comm, const Blocks& blocks, const Blocks& places);
// With reduction.outcome at_root, at_all or scattered.
int inter_reduce(const Entry& entry, const Communicator& comm, const Reduction& reduction);

}  // namespace coll
}  // namespace weft::mpi_shim
