#include "mpi_shim/state.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "mpi_shim/errhandler.hpp"
#include "mpi_shim/error_codes.hpp"
#include "mpi_shim/info.hpp"
#include "mpi_shim/keyval.hpp"
#if __has_include("mpi_shim/buffered_send.hpp")
#include "mpi_shim/buffered_send.hpp"
#else
struct weft::mpi_shim::SendBuffer {};
#endif
#if __has_include("mpi_shim/probe.hpp")
#include "mpi_shim/probe.hpp"
#else
struct weft::mpi_shim::MessageHandle {};
#endif

namespace weft::mpi_shim {

namespace {

// What MPI_COMM_SELF shares with nobody.
std::shared_ptr<const CommShared> make_self(runtime::Job& job, int world_rank) {
  return make_comm(job, std::make_shared<Context>(kSelfContext), Group::range(world_rank, 1));
}

[[noreturn, gnu::cold]] void no_rank(const char* call) {
  std::fprintf(
      stderr,
      "weft: %s: MPI call from a thread that the rank created: Weft provides only MPI_THREAD_FUNNELED, where the "
      "rank's main thread alone calls MPI\n",
      call);
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace

RankState::RankState(runtime::Rank& owner, std::shared_ptr<const CommShared> world_shared)
    : rank(&owner), keyvals(std::make_unique<Keyvals>()), error_codes(std::make_unique<ErrorCodes>()) {
  world.shared = std::move(world_shared);
  world.rank = static_cast<int>(number(owner.id));
  world.handle = MPI_COMM_WORLD;
  world.name = "MPI_COMM_WORLD";
  universe_size = static_cast<int>(owner.job.rank_count());
  self.shared = make_self(owner.job, world.rank);
  self.handle = MPI_COMM_SELF;
  self.name = "MPI_COMM_SELF";
  if (world.team() != nullptr) {
    owner.teams.push_back(world.team());
  }
}

RankState::~RankState() { rank->teams.clear(); }

RankState& state(const char* call) {
  const runtime::Rank* const rank = runtime::current_rank();
  if (rank == nullptr || rank->client == nullptr) [[unlikely]] {
    no_rank(call);
  }
  return *static_cast<RankState*>(rank->client);
}

}  // namespace weft::mpi_shim
