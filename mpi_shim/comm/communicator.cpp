#include "mpi_shim/comm/communicator.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace weft::mpi_shim {
inline namespace comm {

const Locality& Communicator::look_up_locality() const {
  LocationCache& cache = *shared->location_cache;
  if (!cached_locality_.is_valid || cached_locality_.placement != cache.job().placement_version()) [[unlikely]] {
    cached_locality_ = cache.current();
  }
  return cached_locality_.locality;
}

void join_team(runtime::Rank& rank, const Communicator& comm) {
  if (comm.shared->team != nullptr) {
    rank.teams.push_back(comm.shared->team.get());
  }
}

void leave_team(runtime::Rank& rank, const Communicator& comm) {
  std::vector<runtime::Team*>& teams = rank.teams;
  if (const auto place = std::find(teams.begin(), teams.end(), comm.shared->team.get()); place != teams.end()) {
    *place = teams.back();
    teams.pop_back();
  }
}

std::string describe(const Communicator& comm) {
  return comm.name.empty() ? fmt::format("a communicator of {} ranks", comm.size()) : comm.name;
}

}  // namespace comm
}  // namespace weft::mpi_shim
