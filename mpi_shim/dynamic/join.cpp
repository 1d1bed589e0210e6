// MPI_Comm_join: connects two ranks of one job through a socket between them.
#include <cerrno>
#include <cstring>

#include <sys/socket.h>

#include "mpi_shim/comm/join_groups.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/request/progress.hpp"

using namespace weft::mpi_shim;

namespace {

// Each side sends this to the other. Both are taken to belong to one job if `magic` and `ranks` are equal and `rank` is
// not. So another job with the same number of ranks is not told apart.
struct JoinGreeting {
  char magic[8] = {'w', 'e', 'f', 't', 'j', 'o', 'i', 'n'};
  int rank = 0;
  int ranks = 0;
};

// The number of bytes transferred, 0 if none can be now, -1 if the socket failed or was closed. Not inlined: the rank
// may change threads between two calls, but the compiler may reuse the address of the first thread's errno.
template <typename Transfer>
[[gnu::noinline]] ssize_t transfer_some(const Transfer& transfer, std::size_t at) {
  const ssize_t more = transfer(at);
  if (more > 0) {
    return more;
  }
  return more < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 0 : -1;
}

// Sends or receives all bytes. Never blocks in the kernel, because the same worker may have to run the other side's
// rank. False when the socket fails or is closed.
template <typename Transfer>
bool transfer_all(RankState& me, std::size_t bytes, const Transfer& transfer) {
  for (std::size_t moved = 0; moved < bytes;) {
    const ssize_t more = transfer_some(transfer, moved);
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

bool exchange(RankState& me, int fd, const JoinGreeting& mine, JoinGreeting& theirs) {
  const auto* const out = reinterpret_cast<const char*>(&mine);
  auto* const in = reinterpret_cast<char*>(&theirs);
  return transfer_all(
             me, sizeof mine,
             [&](std::size_t at) { return send(fd, out + at, sizeof mine - at, MSG_DONTWAIT | MSG_NOSIGNAL); }) &&
         transfer_all(me, sizeof theirs,
                      [&](std::size_t at) { return recv(fd, in + at, sizeof theirs - at, MSG_DONTWAIT); });
}

}  // namespace

extern "C" int PMPI_Comm_join(int fd, MPI_Comm* intercomm) {
  const Entry entry("MPI_Comm_join");
  RankState& me = entry.me;
  if (intercomm == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "intercomm");
  }
  const JoinGreeting mine{.rank = me.job_rank, .ranks = static_cast<int>(me.rank->job.universe())};
  JoinGreeting theirs;
  if (!exchange(me, fd, mine, theirs)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_INTERN, "the socket {} fails: {}", fd, std::strerror(errno));
  }
  *intercomm = MPI_COMM_NULL;
  const bool same_job = std::memcmp(mine.magic, theirs.magic, sizeof mine.magic) == 0 && theirs.ranks == mine.ranks &&
                        theirs.rank != mine.rank;
  if (same_job) {
    *intercomm = join_in_job(me, me.self, 0, theirs.rank);
  }
  return MPI_SUCCESS;
}
