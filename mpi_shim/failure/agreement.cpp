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

// Adds how many members live in this process, and which processes have members.
void add_members(const runtime::Job& job, const Group* group, runtime::Failures::Part& part) {
  for (int i = 0; group != nullptr && i < group->size(); ++i) {
    const ProcessId process = job.process_of(job.rank(static_cast<std::uint32_t>(group->job_rank(i))));
    part.ranks_here += process == job.process() ? 1 : 0;
    if (std::ranges::find(part.processes, number(process)) == part.processes.end()) {
      part.processes.push_back(number(process));
    }
  }
}

bool is_alive(const runtime::Job& job, const runtime::Agreement& agreement, int job_rank) {
  const ProcessId process = job.process_of(job.rank(static_cast<std::uint32_t>(job_rank)));
  return std::ranges::find(agreement.dead, process) == agreement.dead.end();
}

std::shared_ptr<const Group> surviving_members(const runtime::Job& job, const runtime::Agreement& agreement,
                                               const std::shared_ptr<const Group>& group) {
  std::vector<int> members;
  for (int i = 0; group != nullptr && i < group->size(); ++i) {
    if (is_alive(job, agreement, group->job_rank(i))) {
      members.push_back(group->job_rank(i));
    }
  }
  return group == nullptr ? nullptr : Group::list(std::move(members));
}

}  // namespace

void AgreementOperation::begin(RankState& me, Communicator& on, std::uint32_t flags) {
  runtime::Job& job = me.rank->job;
  shared_ = on.shared;
  if (newcomm != nullptr) {
    new_comm_ = new_comm_view(me, on);
  }
  // The first rank makes the name unique: the MPI_COMM_SELF of all ranks share one context.
  const Group& first = shared_->side == 0 ? *shared_->group : *shared_->remote;
  runtime::Failures::Part part{.name = fmt::format("{}.{}.{}", shared_->context, first.job_rank(0), on.agreements++),
                               .flags = flags,
                               .acknowledged = on.acknowledged,
                               .offered_context = newcomm == nullptr ? 0 : process_comms(job).numbers()->take(job),
                               .processes = {}};
  add_members(job, shared_->group.get(), part);
  add_members(job, shared_->remote.get(), part);
  runtime::start_event(*me.rank, MPI_ANY_SOURCE, {on.collective_context(), MPI_ANY_SOURCE, MPI_ANY_TAG}, completion);
  agreement_ = job.failures()->join_agreement(part, completion);
}

bool AgreementOperation::advance(RankState& me) {
  if (completion.done && !concluded_) {
    error_ = conclude(me);
    concluded_ = true;
  }
  return completion.done;
}

int AgreementOperation::conclude(RankState& me) {
  runtime::Job& job = me.rank->job;
  const std::shared_ptr<const Group> group = surviving_members(job, *agreement_, shared_->group);
  const std::shared_ptr<const Group> remote = surviving_members(job, *agreement_, shared_->remote);
  if (newcomm != nullptr) {
    new_comm_->shared = make_comm_by_number(
        job, {.context = agreement_->context, .group = group, .remote = remote, .side = shared_->side});
    *newcomm = register_comm(me, std::move(new_comm_)).handle;
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
