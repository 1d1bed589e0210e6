#include "mpi_shim/coll/intercomm/intercomm.hpp"

#include <algorithm>
#include <bit>

#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/reduce/combiner.hpp"
#include "mpi_shim/comm/assembly.hpp"

namespace weft::mpi_shim {
inline namespace coll {

namespace {

using runtime::Buffer;

// Of OtherGroup::swap_words(). Above the tags of peers.hpp, below kWordTag.
constexpr int kSwapTag = 1 << 28;

// Copies blocks between the groups, and remembers the first one that did not fit.
class Copies {
 public:
  void copy(int from, const Buffer& block, const Buffer& place) {
    runtime::transfer(block, place);
    if (block.bytes > place.bytes && from_ < 0) {
      from_ = from;
      bytes_ = block.bytes;
      room_ = place.bytes;
    }
  }
  int result(const Entry& entry, const Communicator& comm) const {
    return from_ < 0 ? MPI_SUCCESS : raise_truncation(entry, comm.handle, from_, bytes_, room_);
  }

 private:
  int from_ = -1;
  std::size_t bytes_ = 0;
  std::size_t room_ = 0;
};

int raise_no_root(const Entry& entry, const Communicator& comm, int root) {
  return entry.raise(comm.handle, MPI_ERR_ROOT, "root is {}, but rank {} of the other group does not pass MPI_ROOT",
                     root, root);
}

std::size_t partners(const Communicator& comm) { return static_cast<std::size_t>(comm.peers().size()); }

}  // namespace

OtherGroup::OtherGroup(const Entry& entry, const Communicator& comm, const void* mine) : entry_(entry), comm_(comm) {
  runtime::Team* const team = comm.team();
  if (team != nullptr) {
    team->exchange_slot(static_cast<std::uint32_t>(comm.rank)).words[0] = mine;
  }
  barrier();
  if (comm.rank == 0) {
    ours_.push_back(mine);
    for (std::uint32_t i = 1; team != nullptr && i < team->size(); ++i) {
      ours_.push_back(team->exchange_slot(i).words[0]);
    }
    theirs_ = std::bit_cast<const void* const*>(swap_words(std::bit_cast<std::uint64_t>(ours_.data())));
  }
  if (team != nullptr) {
    if (comm.rank == 0) {
      team->exchange_slot(0).words[1] = theirs_;
    }
    barrier();
    theirs_ = static_cast<const void* const*>(team->exchange_slot(0).words[1]);
  }
}

void OtherGroup::done() {
  barrier();
  if (comm_.rank == 0) {
    swap_words(0);
  }
  barrier();
}

// One side sends first and the other one receives first: if --eager is less than a word's 8 bytes, a send ends only
// when the word is received.
std::uint64_t OtherGroup::swap_words(std::uint64_t word) const {
  const bool sends_first = comm_.shared->side == 0;
  if (sends_first) {
    send_word(entry_.me, comm_, 0, kSwapTag, word);
  }
  const std::uint64_t theirs = receive_word(entry_.me, comm_, 0, kSwapTag);
  if (!sends_first) {
    send_word(entry_.me, comm_, 0, kSwapTag, word);
  }
  return theirs;
}

void OtherGroup::barrier() const {
  if (comm_.team() != nullptr) {
    team_barrier(entry_.me, *comm_.team());
  }
}

int raise_in_place(const Entry& entry, const Communicator& comm) {
  return entry.raise(comm.handle, MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning on an intercommunicator");
}

int inter_barrier(const Entry& entry, const Communicator& comm) {
  if (comm.spans_processes()) {
    return run_blocking(entry, comm, by_messages::inter_barrier);
  }
  OtherGroup other(entry, comm, nullptr);
  other.done();
  return MPI_SUCCESS;
}

int inter_non_root(const Entry& entry, const Communicator& comm) {
  return comm.spans_processes() ? MPI_SUCCESS : inter_barrier(entry, comm);
}

int inter_bcast(const Entry& entry, const Communicator& comm, const Buffer& buffer, int root) {
  if (comm.spans_processes()) {
    return run_blocking(entry, comm,
                        [&](CollectiveSteps& executor) { by_messages::inter_bcast(executor, buffer, root); });
  }
  OtherGroup other(entry, comm, root == MPI_ROOT ? &buffer : nullptr);
  Copies copies;
  bool has_root = true;
  if (root >= 0) {
    const auto* const source = other.published<Buffer>(static_cast<std::size_t>(root));
    has_root = source != nullptr;
    if (has_root) {
      copies.copy(root, *source, buffer);
    }
  }
  other.done();
  return has_root ? copies.result(entry, comm) : raise_no_root(entry, comm, root);
}

int inter_gather(const Entry& entry, const Communicator& comm, const Buffer& own, const Blocks& places, int root) {
  if (comm.spans_processes()) {
    return run_blocking(entry, comm,
                        [&](CollectiveSteps& executor) { by_messages::inter_gather(executor, own, places, root); });
  }
  OtherGroup other(entry, comm, root >= 0 ? &own : nullptr);
  Copies copies;
  bool all_send = true;
  for (std::size_t i = 0; root == MPI_ROOT && i < partners(comm); ++i) {
    const auto* const block = other.published<Buffer>(i);
    if (block != nullptr) {
      copies.copy(static_cast<int>(i), *block, places[i]);
    }
    all_send = all_send && block != nullptr;
  }
  other.done();
  return all_send ? copies.result(entry, comm)
                  : entry.raise(comm.handle, MPI_ERR_ROOT, "not all of the other group pass this rank as the root");
}

int inter_scatter(const Entry& entry, const Communicator& comm, const Blocks& blocks, const Buffer& own, int root) {
  if (comm.spans_processes()) {
    return run_blocking(entry, comm,
                        [&](CollectiveSteps& executor) { by_messages::inter_scatter(executor, blocks, own, root); });
  }
  OtherGroup other(entry, comm, root == MPI_ROOT ? &blocks : nullptr);
  Copies copies;
  bool has_root = true;
  if (root >= 0) {
    const auto* const source = other.published<Blocks>(static_cast<std::size_t>(root));
    has_root = source != nullptr;
    if (has_root) {
      copies.copy(root, (*source)[static_cast<std::size_t>(comm.rank)], own);
    }
  }
  other.done();
  return has_root ? copies.result(entry, comm) : raise_no_root(entry, comm, root);
}

int inter_allgather(const Entry& entry, const Communicator& comm, const Buffer& own, const Blocks& places) {
  if (comm.spans_processes()) {
    return run_blocking(entry, comm,
                        [&](CollectiveSteps& executor) { by_messages::inter_allgather(executor, own, places); });
  }
  OtherGroup other(entry, comm, &own);
  Copies copies;
  for (std::size_t i = 0; i < partners(comm); ++i) {
    copies.copy(static_cast<int>(i), *other.published<Buffer>(i), places[i]);
  }
  other.done();
  return copies.result(entry, comm);
}

int inter_alltoall(const Entry& entry, const Communicator& comm, const Blocks& blocks, const Blocks& places) {
  if (comm.spans_processes()) {
    return run_blocking(entry, comm,
                        [&](CollectiveSteps& executor) { by_messages::inter_alltoall(executor, blocks, places); });
  }
  OtherGroup other(entry, comm, &blocks);
  Copies copies;
  for (std::size_t i = 0; i < partners(comm); ++i) {
    copies.copy(static_cast<int>(i), (*other.published<Blocks>(i))[static_cast<std::size_t>(comm.rank)], places[i]);
  }
  other.done();
  return copies.result(entry, comm);
}

namespace {

template <typename Combiner>
void combine_others(const OtherGroup& other, std::size_t members, const Reduction& reduction, Piece piece,
                    std::size_t at) {
  Combiner combiner(reduction, piece, members);
  combine_in_tree(combiner, members, [&](std::size_t i) { return *other.published<MemberVectors>(i); });
  combiner.store({nullptr, reduction.output, reduction.type, reduction.count}, 0, piece.count, at);
}

// The elements of the other group's vectors that this member combines for itself.
Piece share_of(const Communicator& comm, const Reduction& reduction) {
  if (reduction.outcome != Outcome::scattered) {
    return {0, reduction.has_output ? reduction.elements : 0};
  }
  const auto me = static_cast<std::size_t>(comm.rank);
  return {reduction.starts[me], reduction.starts[me + 1] - reduction.starts[me]};
}

bool all_published(const OtherGroup& other, std::size_t members, std::size_t bytes) {
  for (std::size_t i = 0; i < members; ++i) {
    const auto* const its = other.published<MemberVectors>(i);
    if (its == nullptr || its->count * its->type->size() < bytes) {
      return false;
    }
  }
  return true;
}

}  // namespace

int inter_reduce(const Entry& entry, const Communicator& comm, const Reduction& reduction) {
  if (comm.spans_processes()) {
    return run_blocking(entry, comm,
                        [&](CollectiveSteps& executor) { by_messages::inter_reduce(executor, reduction); });
  }
  const MemberVectors mine{reduction.input, reduction.output, reduction.type, reduction.count};
  const bool publishes = reduction.outcome != Outcome::at_root || reduction.root >= 0;
  OtherGroup other(entry, comm, publishes ? &mine : nullptr);
  const Piece share = share_of(comm, reduction);
  const bool whole = share.count == 0 || all_published(other, partners(comm), reduction.count * reduction.type->size());
  const std::size_t stride = std::max<std::size_t>(element_bytes(*reduction.type), 1);
  const std::size_t step = std::max<std::size_t>(kPieceBytes / stride, 1);
  for (std::size_t done = 0; whole && done < share.count; done += step) {
    const Piece piece{share.first + done, std::min(step, share.count - done)};
    if (reduction.user_op != nullptr) {
      combine_others<UserCombiner>(other, partners(comm), reduction, piece, done);
    } else {
      combine_others<KernelCombiner>(other, partners(comm), reduction, piece, done);
    }
  }
  other.done();
  if (reduction.user_op != nullptr) {
    entry.me.pending_exception.rethrow();
  }
  return whole ? MPI_SUCCESS
               : entry.raise(comm.handle, MPI_ERR_TRUNCATE, "a rank of the other group passes less than {} elements",
                             reduction.count);
}

}  // namespace coll
}  // namespace weft::mpi_shim
