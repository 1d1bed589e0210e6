#include "mpi_shim/collective/agreement.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

namespace weft::mpi_shim {
namespace {

using runtime::Team;

constexpr const char* kNames[] = {
    "MPI_Barrier",  "MPI_Bcast",     "MPI_Gather",         "MPI_Gatherv",
    "MPI_Scatter",  "MPI_Scatterv",  "MPI_Allgather",      "MPI_Allgatherv",
    "MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw",      "MPI_Finalize",
    "MPI_Reduce",   "MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block",
    "MPI_Scan",     "MPI_Exscan",
};
static_assert(std::size(kNames) == static_cast<std::size_t>(Collective::exscan) + 1);

std::uint64_t head(Collective call, int root) {
  return static_cast<std::uint64_t>(call) << 58 | static_cast<std::uint64_t>(static_cast<std::uint32_t>(root)) << 32;
}

// Behind the result's data: the member that differs from member 0, or 0. Then the data are both marks.
struct Verdict {
  std::uint32_t odd = 0;
};
Verdict& verdict(Team& team) { return *reinterpret_cast<Verdict*>(team.result().bytes + kResultBytes); }

[[gnu::cold, gnu::noinline]] void note_disagreement(Team& team) {
  std::uint32_t odd = 1;
  while (team.mark(odd) == team.mark(0)) {
    ++odd;
  }
  const std::uint64_t marks[2] = {team.mark(0), team.mark(odd)};
  std::memcpy(team.result().bytes, marks, sizeof marks);
  verdict(team).odd = odd;
}

bool is_reduction(Collective call) { return call >= Collective::reduce; }

// `first` is rank 0's mark, `second` that of rank `odd`.
[[gnu::cold, gnu::noinline]] int raise_disagreement(const Entry& entry, const Communicator& comm, Mark first,
                                                    Mark second, std::uint32_t odd) {
  if (first.call() != second.call()) {
    return entry.raise(comm.handle, MPI_ERR_ARG, "rank 0 of the communicator is in {} but rank {} is in {}",
                       kNames[static_cast<std::size_t>(first.call())], odd,
                       kNames[static_cast<std::size_t>(second.call())]);
  }
  if (first.root() != second.root()) {
    return entry.raise(comm.handle, MPI_ERR_ROOT,
                       "rank 0 of the communicator passes root {} but rank {} passes root {}", first.root(), odd,
                       second.root());
  }
  if (!is_reduction(first.call())) {
    return entry.raise(comm.handle, MPI_ERR_TRUNCATE,
                       "rank 0 of the communicator passes {} bytes for each block but rank {} passes {}",
                       first.detail(), odd, second.detail());
  }
  const std::uint32_t differs = first.detail() ^ second.detail();
  const char* const what = (differs >> 24) != 0 ? "operations" : (differs >> 16) != 0 ? "datatypes" : "counts";
  return entry.raise(comm.handle, (differs >> 16) != 0 ? MPI_ERR_ARG : MPI_ERR_TRUNCATE,
                     "rank 0 and rank {} of the communicator pass different {}", odd, what);
}

[[gnu::cold, gnu::noinline]] int raise_disagreement(const Entry& entry, const Communicator& comm) {
  Team& team = *comm.team();
  std::uint64_t marks[2];
  std::memcpy(marks, team.result().bytes, sizeof marks);
  return raise_disagreement(entry, comm, Mark(marks[0]), Mark(marks[1]), verdict(team).odd);
}

void only_agree(Team& team, void*) { agree(team); }

}  // namespace

Mark Mark::of_bytes(Collective call, int root, std::size_t bytes) {
  return Mark(head(call, root) | std::min<std::size_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
}

Mark Mark::of_reduction(Collective call, int root, MPI_Op op, const Datatype& type, std::uint64_t elements) {
  // A user's handle says nothing about the others' ones.
  const std::uint64_t operation = is_predefined(op) ? handle_value(op) : 0x40;
  const std::uint64_t spread = elements * 0x9e3779b97f4a7c15U >> 48;
  return Mark(head(call, root) | operation << 24 | static_cast<std::uint64_t>(type.basic()) << 16 | spread);
}

bool agree(Team& team) {
  const std::uint64_t* const marks = &team.mark(0);
  std::uint64_t differs = 0;
  for (std::uint32_t i = 1; i < team.size(); ++i) {
    differs |= marks[i] ^ marks[0];
  }
  if (differs != 0) [[unlikely]] {
    note_disagreement(team);
    return false;
  }
  verdict(team).odd = 0;
  return true;
}

int meet_in_agreement(const Entry& entry, const Communicator& comm, Mark mark, Team::Action action, void* argument) {
  Team& team = *comm.team();
  if (team.board() != nullptr) {
    if (const int error = post_in_agreement(entry, comm, mark); error != MPI_SUCCESS || action == nullptr) {
      return error;
    }
  }
  team.mark(static_cast<std::uint32_t>(comm.rank)) = mark.bits();
  meet(entry.me, team, action != nullptr ? action : only_agree, argument);
  return verdict(team).odd == 0 ? MPI_SUCCESS : raise_disagreement(entry, comm);
}

int post_in_agreement(const Entry& entry, const Communicator& comm, Mark mark) {
  Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  meet_at_board(entry.me, team, me, mark.bits());
  const runtime::Board& board = *team.board();
  for (std::uint32_t i = 1; i < team.size(); ++i) {
    if (board.mark(me, i) != board.mark(me, 0)) [[unlikely]] {
      return raise_disagreement(entry, comm, Mark(board.mark(me, 0)), Mark(board.mark(me, i)), i);
    }
  }
  return MPI_SUCCESS;
}

void meet_again(const Entry& entry, const Communicator& comm) {
  Team& team = *comm.team();
  if (team.board() != nullptr) {
    meet_at_board(entry.me, team, static_cast<std::uint32_t>(comm.rank), 0);
  } else {
    meet(entry.me, team);
  }
}

}  // namespace weft::mpi_shim
