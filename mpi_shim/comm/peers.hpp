// Messages of the MPI layer between the members of a group, in a context of a communicator.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi_shim/coll/steps/tree.hpp"
#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/state/state.hpp"
#include "runtime/p2p/point_to_point.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// One rank's view of its partners in one call. Functions that suspend the rank say so; its pending operations make
// progress meanwhile.
class Peers {
 public:
  // How messages identify their sender: by its number in a group that both sides know; or by its rank in the job, if
  // calls that overlap may have different groups.
  enum class SourceIds : std::uint8_t { members, ranks };

  // The local group's members. In an intercommunicator, messages within a group and across must have different tags.
  static Peers within(RankState& me, const Communicator& comm, int tag) {
    return in_context(me, comm, comm.collective_context(), *comm.shared->group, tag);
  }
  // The remote group's members.
  static Peers across(RankState& me, const Communicator& comm, int tag) {
    return in_context(me, comm, comm.collective_context(), *comm.shared->remote, tag);
  }
  // The members of one of the communicator's groups, in one of its contexts. No other call may use the tag there.
  static Peers in_context(RankState& me, const Communicator& comm, std::uint32_t context, const Group& group, int tag) {
    Peers peers(me, context, group, comm.rank, tag);
    peers.comm_ = &comm;
    return peers;
  }
  // Any ranks of the job, which identify themselves by their rank in the job.
  static Peers by_job_rank(RankState& me, std::uint32_t context, const Group& group, int tag) {
    Peers peers(me, context, group, group.rank_of(me.job_rank), tag);
    peers.source_ids_ = SourceIds::ranks;
    return peers;
  }

  int size() const { return group_.size(); }
  int rank() const { return rank_; }  // the calling rank's number in its own group

  std::uint32_t job_rank(int member) const { return static_cast<std::uint32_t>(group_.job_rank(member)); }
  runtime::MatchKey send_key() const;
  runtime::MatchKey receive_key(int from) const;

  // After a failure in the communicator the request completes at once, with runtime::Request::failure set.
  void start_send(int to, const runtime::Buffer& buffer, runtime::Request& request) const;
  void start_receive(int from, const runtime::Buffer& buffer, runtime::Request& request) const;

  // These suspend. They throw CallFailed after a failure.
  void wait(runtime::Request& request) const;
  void send(int to, const runtime::Buffer& buffer) const;
  std::uint64_t receive(int from, const runtime::Buffer& buffer) const;  // the bytes sent, maybe more than the buffer's
  void send_ints(int to, const std::vector<int>& ints) const;            // any number of them
  std::vector<int> receive_ints(int from) const;

 private:
  Peers(RankState& me, std::uint32_t context, const Group& group, int rank, int tag)
      : me_(me), group_(group), context_(context), rank_(rank), tag_(tag) {}
  runtime::Failure failure() const;

  RankState& me_;
  const Group& group_;
  const std::uint32_t context_;
  const int rank_;
  const int tag_;
  SourceIds source_ids_ = SourceIds::members;
  const Communicator* comm_ = nullptr;  // null for by_job_rank()
};

using steps::Tree;

// Tags in a collective context. Collective calls use the values of Collective; these tags are above them.
inline constexpr int kAcrossTag = 1 << 20;        // added for messages between the two groups of an intercommunicator
inline constexpr int kCommCreationTag = 1 << 27;  // of calls that make communicators, as are the next two tags
inline constexpr int kBarrierTag = 1 << 26;       // of barrier_among()
inline constexpr int kOwnGroupTag = 1 << 25;      // added for messages within a group of an intercommunicator

// Collective over the group; suspends until all members have come.
void barrier_among(const Peers& peers);
// Collective over the group; suspends. All members get the root's ints.
void broadcast_ints(const Peers& peers, int root, std::vector<int>& ints);

}  // namespace comm
}  // namespace weft::mpi_shim
