// MPI_Comm_join: two ranks of one job that have a socket in common.
#include <cerrno>
#include <cstring>

#include <sys/socket.h>

#include "mpi_shim/comm/join_groups.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/request/progress.hpp"

using namespace weft::mpi_shim;

namespace {

// What each side sends to the other: enough to see that it is not one of this job.
struct Card {
  char handshake[8] = {'w', 'e', 'f', 't', 'j', 'o', 'i', 'n'};
  int rank = 0;
  int ranks = 0;
};

// Bytes that went, 0: none now, -1: the socket fails or has ended. Not inlined: errno is the thread's that runs the
// rank now, which the compiler takes to be one and the same.
template <typename Move>
[[gnu::noinline]] ssize_t try_to_move(const Move& move, std::size_t at) {
  const ssize_t more = move(at);
  if (more > 0) {
    return more;
  }
  return more < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 0 : -1;
}

// Sends or receives all of it. The rank's worker may run the other side: so nobody sleeps in the kernel. False when the
// socket fails or ends.
template <typename Move>
bool move_all(RankState& me, std::size_t bytes, const Move& move) {
  for (std::size_t moved = 0; moved < bytes;) {
    const ssize_t more = try_to_move(move, moved);
    if (more < 0) {
      return false;
    }
    moved += static_cast<std::size_t>(more);
    if (more == 0) {
      make_progress(me);
    }
  }
  return true;
}

bool exchange(RankState& me, int fd, const Card& mine, Card& theirs) {
  const auto* const out = reinterpret_cast<const char*>(&mine);
  auto* const in = reinterpret_cast<char*>(&theirs);
  return move_all(me, sizeof mine,
                  [&](std::size_t at) { return send(fd, out + at, sizeof mine - at, MSG_DONTWAIT | MSG_NOSIGNAL); }) &&
         move_all(me, sizeof theirs,
                  [&](std::size_t at) { return recv(fd, in + at, sizeof theirs - at, MSG_DONTWAIT); });
}

}  // namespace

extern "C" int PMPI_Comm_join(int fd, MPI_Comm* intercomm) {
  const Entry entry("MPI_Comm_join");
  RankState& me = entry.me;
  if (intercomm == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "intercomm");
  }
  const Card mine{.rank = me.job_rank, .ranks = static_cast<int>(me.rank->job.universe())};
  Card theirs;
  if (!exchange(me, fd, mine, theirs)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_INTERN, "the socket {} fails: {}", fd, std::strerror(errno));
  }
  *intercomm = MPI_COMM_NULL;
  const bool meets = std::memcmp(mine.handshake, theirs.handshake, sizeof mine.handshake) == 0 &&
                     theirs.ranks == mine.ranks && theirs.rank != mine.rank;
  if (meets) {
    *intercomm = join_in_job(me, me.self, 0, theirs.rank);
  }
  return MPI_SUCCESS;
}
