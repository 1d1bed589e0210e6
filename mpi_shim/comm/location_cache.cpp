#include "mpi_shim/comm/location_cache.hpp"

#include <utility>
#include <vector>

namespace weft::mpi_shim {
inline namespace comm {

std::unique_ptr<runtime::Team> make_team(runtime::Job& job, const Group& group) {
  if (group.size() < 2) {
    return nullptr;
  }
  std::vector<runtime::Rank*> members(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); ++i) {
    members[static_cast<std::size_t>(i)] = &job.rank(static_cast<std::uint32_t>(group.job_rank(i)));
  }
  return job.make_team(members);
}

Locality locality_of(runtime::Team* team, bool two_groups) {
  const bool alone = team == nullptr && !two_groups;
  return {alone ? Locality::Reach::one_rank : Locality::Reach::one_process, team};
}

LocationCache::LocationCache(runtime::Job& job, std::shared_ptr<const Group> group, std::shared_ptr<const Group> remote)
    : job_(job), group_(std::move(group)), remote_(std::move(remote)) {}

CachedLocality LocationCache::current() {
  const std::lock_guard lock(mutex_);
  if (!last_.is_valid || last_.placement != job_.placement_version()) {
    last_ = {job_.placement_version(), true, {}, nullptr};
    if (spans_processes()) {
      last_.locality.reach = Locality::Reach::several_processes;
    } else {
      last_.team = make_team(job_, *group_);
      last_.locality = locality_of(last_.team.get(), remote_ != nullptr);
    }
  }
  return last_;
}

bool LocationCache::spans_processes() const {
  if (job_.config().act_as_processes) {
    return true;
  }
  const ProcessId here = job_.process();
  for (const Group* const group : {group_.get(), remote_.get()}) {
    for (int i = 0; group != nullptr && i < group->size(); ++i) {
      if (job_.process_of(job_.rank(static_cast<std::uint32_t>(group->job_rank(i)))) != here) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace comm
}  // namespace weft::mpi_shim
