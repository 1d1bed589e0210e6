#include "mpi_shim/comm/assembly.hpp"

#include <bit>

#include "mpi_shim/request/progress.hpp"
#include "runtime/p2p/point_to_point.hpp"

namespace weft::mpi_shim {
inline namespace comm {

namespace {

struct Call {
  runtime::Job& job;
  const CommShared& shared;
  MakeResults make;
};

void run(runtime::Team& /*team*/, void* argument) {
  const Call& call = *static_cast<Call*>(argument);
  Side side(call.shared);
  call.make(call.job, side, nullptr);
}

// Called by the two leaders: that of side 0 makes the results of both sides while the other waits.
void make_for_both(RankState& me, const Communicator& comm, Side& mine, MakeResults make) {
  if (comm.shared->side == 0) {
    Side& theirs = *std::bit_cast<Side*>(receive_word(me, comm, 0, kWordTag));
    make(me.rank->job, mine, &theirs);
    send_word(me, comm, 0, kWordTag, 0);
  } else {
    send_word(me, comm, 0, kWordTag, std::bit_cast<std::uint64_t>(&mine));
    receive_word(me, comm, 0, kWordTag);
  }
}

}  // namespace

const void* assemble(RankState& me, const Communicator& comm, std::uint64_t word, MakeResults make) {
  Call call{me.rank->job, *comm.shared, make};
  Side side(*comm.shared);
  runtime::Team* const team = comm.team();
  if (team == nullptr) {
    side.own_word = word;
  } else {
    team->word(static_cast<std::uint32_t>(comm.rank)) = word;
  }
  if (comm.is_inter()) {
    if (team != nullptr) {
      team_barrier(me, *team);
    }
    if (comm.rank == 0) {
      make_for_both(me, comm, side, make);
    }
    if (team != nullptr) {
      team_barrier(me, *team);
    }
  } else if (team != nullptr) {
    team_barrier(me, *team, &run, &call);
  } else {
    make(me.rank->job, side, nullptr);
  }
  return side.result_slot(comm.rank);
}

void send_word(RankState& me, const Communicator& comm, int peer, int tag, std::uint64_t word) {
  const auto to = static_cast<std::uint32_t>(comm.peers().job_rank(peer));
  runtime::Request request;
  request.prepare_send(*me.rank, {comm.collective_context(), comm.rank, tag}, peer, {&word, sizeof word});
  runtime::start_send(me.rank->job.rank(to), runtime::SendMode::standard, request);
  wait_message(me, request);
}

std::uint64_t receive_word(RankState& me, const Communicator& comm, int peer, int tag) {
  std::uint64_t word = 0;
  runtime::Request request;
  runtime::start_receive(*me.rank, {comm.collective_context(), peer, tag}, {&word, sizeof word}, request);
  wait_message(me, request);
  return word;
}

}  // namespace comm
}  // namespace weft::mpi_shim
