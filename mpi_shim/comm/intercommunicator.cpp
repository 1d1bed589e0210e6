// MPI_Intercomm_create, through the leaders of two groups, and MPI_Intercomm_merge.
#include <bit>

#include "mpi_shim/comm/assembly.hpp"
#include "mpi_shim/comm/assembly_by_messages.hpp"
#include "mpi_shim/comm/join_groups.hpp"
#include "mpi_shim/comm/membership.hpp"
#include "mpi_shim/comm/process_comms.hpp"
#include "mpi_shim/entry/entry.hpp"

namespace {

using namespace weft::mpi_shim;
namespace runtime = weft::runtime;

// The leader of side 1 shows this to the leader of side 0, which sets `result`.
struct GroupOffer {
  std::shared_ptr<const Group> group;
  std::shared_ptr<const CommShared> result;
};

// Called by the leaders, which exchange their groups. The leader with the smaller job rank makes both sides; its own
// group is side 0.
std::shared_ptr<const CommShared> exchange_groups(RankState& me, const Communicator& local, const Communicator& peer,
                                                  int remote, int tag) {
  const int word_tag = kWordTag | tag;
  if (me.job_rank > peer.peers().job_rank(remote)) {
    GroupOffer offer{local.shared->group, nullptr};
    send_word(me, peer, remote, word_tag, std::bit_cast<std::uint64_t>(&offer));
    receive_word(me, peer, remote, word_tag);
    return offer.result;
  }
  GroupOffer& offer = *std::bit_cast<GroupOffer*>(receive_word(me, peer, remote, word_tag));
  runtime::Job& job = me.rank->job;
  const auto lease = fresh_context(job);
  auto near = make_comm(job, lease, {.group = local.shared->group, .remote = offer.group});
  offer.result = make_comm(job, lease, {.group = offer.group, .remote = local.shared->group, .side = 1});
  send_word(me, peer, remote, word_tag, 0);
  return near;
}

// All members get the leader's contribution; other members' contributions are 0.
void distribute_result(runtime::Job& /*job*/, Side& side, Side* /*remote*/) {
  int leader = 0;
  while (side.contribution(leader) == 0) {
    ++leader;
  }
  const auto& comm = *std::bit_cast<const std::shared_ptr<const CommShared>*>(side.contribution(leader));
  for (int member = 0; member < side.size(); ++member) {
    side.set_result(member, comm);
  }
}

void append(std::vector<int>& ranks, const Group& group) {
  for (int member = 0; member < group.size(); ++member) {
    ranks.push_back(group.job_rank(member));
  }
}

// The group that did not pass `high` comes first. If both passed the same, side 0 comes first.
void merge(runtime::Job& job, Side& local, Side* remote) {
  const bool local_last = local.contribution(0) != 0 && remote->contribution(0) == 0;
  std::vector<int> ranks;
  append(ranks, *(local_last ? *remote : local).shared.group);
  append(ranks, *(local_last ? local : *remote).shared.group);
  const std::shared_ptr<const CommShared> comm =
      make_comm(job, fresh_context(job), {.group = Group::list(std::move(ranks))});
  for (Side* const side : {&local, remote}) {
    for (int member = 0; member < side->size(); ++member) {
      side->set_result(member, comm);
    }
  }
}

// --- in a job of several processes ---

// Called by the leaders, which exchange their groups. The leader with the smaller job rank also chooses the context
// number. Returns what the members of this leader's group need: the context number, their side, and the other group's
// job ranks.
std::vector<int> exchange_groups_by_messages(RankState& me, const Communicator& local, const Communicator& peer,
                                             int remote, int tag) {
  const Peers leaders = Peers::by_job_rank(me, peer.collective_context(), peer.peers(), kWordTag | tag);
  const bool first = me.job_rank < peer.peers().job_rank(remote);
  const std::uint32_t context = first ? process_comms(me.rank->job).numbers()->take(me.rank->job) : 0;
  std::vector<int> mine{std::bit_cast<int>(context)};
  append(mine, *local.shared->group);
  std::vector<int> exchanged;
  if (first) {
    leaders.send_ints(remote, mine);
    exchanged = leaders.receive_ints(remote);
    exchanged[0] = std::bit_cast<int>(context);
  } else {
    exchanged = leaders.receive_ints(remote);
    leaders.send_ints(remote, mine);
  }
  exchanged.insert(exchanged.begin() + 1, first ? 0 : 1);
  return exchanged;
}

std::shared_ptr<const CommShared> create_by_messages(RankState& me, const Communicator& local, int leader,
                                                     std::vector<int> exchanged) {
  broadcast_ints(Peers::within(me, local, kCommCreationTag), leader, exchanged);
  return make_comm_by_number(me.rank->job, {.context = std::bit_cast<std::uint32_t>(exchanged[0]),
                                            .group = local.shared->group,
                                            .remote = Group::list({exchanged.begin() + 2, exchanged.end()}),
                                            .side = exchanged[1]});
}

std::shared_ptr<const CommShared> merge_by_messages(RankState& me, const Communicator& inter, bool high) {
  const int word = static_cast<int>(high);
  const Assembled all = assemble_by_messages(me, inter, {&word, 1}, [](const Assembled&) { return 1U; });
  const bool turned = all.sides[0].of(0)[0] != 0 && all.sides[1].of(0)[0] == 0;
  const bool own_first = (inter.shared->side == 0) != turned;
  std::vector<int> ranks;
  append(ranks, own_first ? *inter.shared->group : *inter.shared->remote);
  append(ranks, own_first ? *inter.shared->remote : *inter.shared->group);
  return make_comm_by_number(me.rank->job, {.context = all.first_context, .group = Group::list(std::move(ranks))});
}

// Called by the leader only, since the peer communicator is significant there only. MPI_SUCCESS or the error raised.
int check_peer(const Entry& entry, MPI_Comm peer_comm, int remote_leader, const Group& local) {
  const Communicator* const peer = find_comm(entry.me, peer_comm);
  if (peer == nullptr) {
    return entry.bad_comm(peer_comm);
  }
  if (remote_leader < 0 || remote_leader >= peer->peers().size()) {
    return entry.raise(peer_comm, MPI_ERR_RANK, "remote_leader {} is not a rank of the peer communicator (0..{})",
                       remote_leader, peer->peers().size() - 1);
  }
  if (local.rank_of(peer->peers().job_rank(remote_leader)) != MPI_UNDEFINED) {
    return entry.raise(peer_comm, MPI_ERR_RANK, "remote_leader {} is in the local group", remote_leader);
  }
  return MPI_SUCCESS;
}

int intercomm_create(const Entry& entry, MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader,
                     int tag, MPI_Comm* newintercomm) {
  RankState& me = entry.me;
  const Communicator* const local = find_comm(me, local_comm);
  if (local == nullptr || newintercomm == nullptr) {
    return local == nullptr ? entry.bad_comm(local_comm) : entry.null_argument(local_comm, "newintercomm");
  }
  if (local->is_inter()) {
    return entry.raise(local_comm, MPI_ERR_COMM, "local_comm is an intercommunicator");
  }
  if (local_leader < 0 || local_leader >= local->size()) {
    return entry.raise(local_comm, MPI_ERR_RANK, "local_leader {} is not a rank of local_comm (0..{})", local_leader,
                       local->size() - 1);
  }
  if (tag < 0) {
    return entry.raise(local_comm, MPI_ERR_TAG, "tag {} is negative", tag);
  }
  const Communicator* peer = nullptr;
  if (local->rank == local_leader) {
    if (const int error = check_peer(entry, peer_comm, remote_leader, *local->shared->group); error != MPI_SUCCESS) {
      return error;
    }
    peer = find_comm(me, peer_comm);
  }
  *newintercomm = join_by_leaders(me, *local, local_leader, {peer, remote_leader, tag});
  return MPI_SUCCESS;
}

int intercomm_merge(const Entry& entry, Communicator& inter, int high, MPI_Comm* newintracomm) {
  if (!inter.is_inter()) {
    return entry.raise(inter.handle, MPI_ERR_COMM, "intercomm is not an intercommunicator");
  }
  auto shared = entry.me.rank->job.spans_processes()
                    ? merge_by_messages(entry.me, inter, high != 0)
                    : assemble_shared<CommShared>(entry.me, inter, high != 0 ? 1 : 0, &merge);
  *newintracomm = add_comm(entry.me, std::move(shared), inter).handle;
  return MPI_SUCCESS;
}

}  // namespace

MPI_Comm weft::mpi_shim::join_by_leaders(RankState& me, const Communicator& local, int leader,
                                         const RemoteLeader& other) {
  const bool leads = local.rank == leader;
  if (me.rank->job.spans_processes()) {
    std::vector<int> exchanged;
    if (leads) {
      exchanged = exchange_groups_by_messages(me, local, *other.peer, other.leader, other.tag);
    }
    return add_comm(me, create_by_messages(me, local, leader, std::move(exchanged)), local).handle;
  }
  std::shared_ptr<const CommShared> made;
  if (leads) {
    made = exchange_groups(me, local, *other.peer, other.leader, other.tag);
  }
  const std::uint64_t word = made == nullptr ? 0 : std::bit_cast<std::uint64_t>(&made);
  return add_comm(me, assemble_shared<CommShared>(me, local, word, &distribute_result), local).handle;
}

Communicator weft::mpi_shim::universe_of(RankState& me) {
  Communicator universe;
  universe.shared = process_comms(me.rank->job).universe(me.rank->job);
  universe.rank = me.job_rank;
  return universe;
}

MPI_Comm weft::mpi_shim::join_in_job(RankState& me, const Communicator& local, int root, int other, int tag) {
  const Communicator universe = universe_of(me);
  return join_by_leaders(me, local, root, {&universe, other, tag});
}

#include "mpi_shim/generated/comm/intercommunicator.inc"
