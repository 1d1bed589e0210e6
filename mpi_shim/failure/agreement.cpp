#include "mpi_shim/failure/agreement.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "mpi-ext.h"
#include "mpi_shim/comm/membership.hpp"
#include "mpi_shim/comm/process_comms.hpp"

namespace weft::mpi_shim {
inline namespace failure {
namespace {

// Of the members: how many live in this process, and in which processes any do.
void add_members(const runtime::Job& job, const Group* group, runtime::Failures::Part& part) {
  for (int i = 0; group != nullptr && i < group->size(); ++i) {
    const ProcessId process = job.process_of(job.rank(static_cast<std::uint32_t>(group->world_rank(i))));
    part.ranks_here += process == job.process() ? 1 : 0;
    if (std::ranges::find(part.processes, number(process)) == part.processes.end()) {
      part.processes.push_back(number(process));
    }
  }
}

bool lives(const runtime::Job& job, const runtime::Agreement& agreement, int job_rank) {
  const ProcessId process = job.process_of(job.rank(static_cast<std::uint32_t>(job_rank)));
  return std::ranges::find(agreement.dead, process) == agreement.dead.end();
}

std::shared_ptr<const Group> living(const runtime::Job& job, const runtime::Agreement& agreement,
                                    const std::shared_ptr<const Group>& group) {
  std::vector<int> members;
  for (int i = 0; group != nullptr && i < group->size(); ++i) {
    if (lives(job, agreement, group->world_rank(i))) {
      members.push_back(group->world_rank(i));
    }
  }
  return group == nullptr ? nullptr : Group::list(std::move(members));
}

}  // namespace

void AgreementOperation::begin(RankState& me, Communicator& on, std::uint32_t flags) {
  runtime::Job& job = me.rank->job;
  shared_ = on.shared;
  if (newcomm != nullptr) {
    heir_ = heir_of(me, on);
  }
  // All ranks' MPI_COMM_SELF have one context.
  const Group& first = shared_->side == 0 ? *shared_->group : *shared_->remote;
  runtime::Failures::Part part{.name = fmt::format("{}.{}.{}", shared_->context, first.world_rank(0), on.agreements++),
                               .flags = flags,
                               .acknowledged = on.acknowledged,
                               .offered_context = newcomm == nullptr ? 0 : process_comms(job).numbers()->take(job),
                               .processes = {}};
  add_members(job, shared_->group.get(), part);
  add_members(job, shared_->remote.get(), part);
  runtime::start_event(*me.rank, MPI_ANY_SOURCE, {on.collective_context(), MPI_ANY_SOURCE, MPI_ANY_TAG}, over);
  agreement_ = job.failures()->bring(part, over);
}

bool AgreementOperation::advance(RankState& me) {
  if (over.done && !concluded_) {
    error_ = conclude(me);
    concluded_ = true;
  }
  return over.done;
}

int AgreementOperation::conclude(RankState& me) {
  runtime::Job& job = me.rank->job;
  const std::shared_ptr<const Group> group = living(job, *agreement_, shared_->group);
  const std::shared_ptr<const Group> remote = living(job, *agreement_, shared_->remote);
  if (newcomm != nullptr) {
    heir_->shared = make_comm_by_number(
        job, {.context = agreement_->context, .group = group, .remote = remote, .side = shared_->side});
    *newcomm = enlist(me, std::move(heir_)).handle;
    return MPI_SUCCESS;
  }
  *flag = std::bit_cast<int>(agreement_->flags);
  int failed = shared_->group->size() - group->size();
  if (remote != nullptr) {
    failed += shared_->remote->size() - remote->size();
  }
  return static_cast<std::uint32_t>(failed) > agreement_->acknowledged ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
}

}  // namespace failure
}  // namespace weft::mpi_shim
