// Messages between the members of a group in the collective context of a communicator.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mpi_shim/coll/steps/tree.hpp"
#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/state/state.hpp"
#include "runtime/p2p/point_to_point.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// One rank's view of its partners in one call. Calls that end on a suspended rank are marked so; the rank's pending
// operations move on meanwhile.
class Peers {
 public:
  // How messages name who sent them: members by their numbers in a group that both sides know, or ranks of the job,
  // where calls that overlap may have different groups.
  enum class Names : std::uint8_t { members, ranks };

  // The local group's members; in an intercommunicator messages to them must have other tags than those to the others.
  static Peers within(RankState& me, const Communicator& comm, int tag) {
    return in_context(me, comm, comm.collective_context(), *comm.shared->group, tag);
  }
  // The remote group's members.
  static Peers across(RankState& me, const Communicator& comm, int tag) {
    return in_context(me, comm, comm.collective_context(), *comm.shared->remote, tag);
  }
  // The members of one of its groups, in a context and with a tag that another call of the layer has for itself.
  static Peers in_context(RankState& me, const Communicator& comm, std::uint32_t context, const Group& group, int tag) {
    Peers peers(me, context, group, comm.rank, tag);
    peers.comm_ = &comm;
    return peers;
  }
  // Any ranks.
  static Peers named(RankState& me, std::uint32_t context, const Group& group, int tag) {
    Peers peers(me, context, group, group.number_of(me.job_rank), tag);
    peers.names_ = Names::ranks;
    return peers;
  }

  int size() const { return group_.size(); }
  int rank() const { return rank_; }  // this rank's number in its own group
  RankState& me() const { return me_; }

  std::uint32_t world_rank(int member) const { return static_cast<std::uint32_t>(group_.world_rank(member)); }
  runtime::MatchKey send_key() const;
  runtime::MatchKey receive_key(int from) const;

  // Once a failure concerns the communicator these are over at once: runtime::Request::failure.
  void start_send(int to, const runtime::Buffer& buffer, runtime::Request& request) const;
  void start_receive(int from, const runtime::Buffer& buffer, runtime::Request& request) const;

  // These suspend, and throw CallFailed.
  void wait(runtime::Request& request) const;
  void wait(std::span<runtime::Request> requests) const;
  void send(int to, const runtime::Buffer& buffer) const;
  std::uint64_t receive(int from, const runtime::Buffer& buffer) const;  // bytes sent, maybe more than fitted
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
  Names names_ = Names::members;
  const Communicator* comm_ = nullptr;  // null for any ranks
};

using steps::Tree;

// Tags in a collective context. Collective calls use the numbers of Collective; what comes from here is above them.
inline constexpr int kAcrossTag = 1 << 20;    // added for messages between the two groups of an intercommunicator
inline constexpr int kBirthTag = 1 << 27;     // makes communicators
inline constexpr int kBarrierTag = 1 << 26;   // of messages that are nothing but a barrier
inline constexpr int kOwnGroupTag = 1 << 25;  // added for messages within a group of an intercommunicator

// Collective over the group: suspends until all have come.
void barrier_among(const Peers& peers);
// Hands the root's ints to all.
void share_ints(const Peers& peers, int root, std::vector<int>& ints);

}  // namespace comm
}  // namespace weft::mpi_shim
