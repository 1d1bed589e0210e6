#include "runtime/failure/failures.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "runtime/control/cluster.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/p2p/failed_requests.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/setup/upper_layer.hpp"

namespace weft::runtime {
inline namespace failure {

// Visits the ranks of one worker, on that worker.
class Failures::Sweep : public InboxItem {
 public:
  using Each = std::function<void(Worker& here, Rank& rank)>;
  // Shared by all workers; `after` runs once the last one has finished.
  struct Common {
    Common(RankTable& table, Each its_each, std::function<void()> its_after, std::size_t workers)
        : ranks(table), each(std::move(its_each)), after(std::move(its_after)), left(workers) {}
    RankTable& ranks;
    const Each each;
    const std::function<void()> after;
    std::atomic<std::size_t> left;
  };

  explicit Sweep(std::shared_ptr<Common> common) : common_(std::move(common)) { deliver = &run; }

 private:
  static void run(Worker& here, InboxItem& item) {
    const std::unique_ptr<Sweep> self(&static_cast<Sweep&>(item));
    Common& common = *self->common_;
    for (std::uint32_t r = 0; r < common.ranks.universe(); ++r) {
      Rank& rank = common.ranks[r];
      if (rank.worker.load(std::memory_order_relaxed) == &here && !rank.ended.load(std::memory_order_relaxed)) {
        common.each(here, rank);
      }
    }
    // Pairs with run() of the other workers: the last one sees what all others have done.
    if (common.left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      common.after();
    }
  }

  std::shared_ptr<Common> common_;
};

Failures::Failures(const JobContext& job, bootstrap::NoticeConnection& launcher) : job_(job), launcher_(launcher) {
  job.cluster.loses_processes = true;
}

// Workers take these items in the order in which they are pushed, so notices are finished in their order.
void Failures::sweep(const Sweep::Each& each, const std::function<void()>& after) {
  const auto common = std::make_shared<Sweep::Common>(job_.ranks, each, after, job_.workers.size());
  for (Worker* const worker : job_.workers) {
    worker->inbox().push(*new Sweep(common));
  }
}

void Failures::process_died(ProcessId process) {
  // Receives what the process has sent before it died, as far as no other thread polls: then poll() returns false.
  constexpr int kPolls = 64;  // more than a full ring takes, whatever the others send meanwhile
  for (int i = 0; i < kPolls && job_.cluster.poll(); ++i) {
  }
  job_.cluster.lose(process);
  {
    const std::lock_guard lock(mutex_);
    dead_.push_back(process);
  }
  job_.upper_layer->note_death(job_.job, process, notices_);
  job_.process_died(process);
  const std::uint32_t number = ++notices_;
  sweep(
      [this, process](Worker& here, Rank& rank) {
        fail_receives(here, rank, [&](const MatchKey& key) { return job_.upper_layer->receive_failure(rank, key); });
        fail_sends_to(here, rank, process);
      },
      [this, number] { launcher_.confirm_applied(number); });
}

void Failures::communicator_revoked(std::uint32_t context) {
  job_.upper_layer->note_revocation(job_.job, context, notices_);
  const std::uint32_t number = ++notices_;
  sweep(
      [this](Worker& here, Rank& rank) {
        fail_receives(here, rank, [&](const MatchKey& key) { return job_.upper_layer->receive_failure(rank, key); });
      },
      [this, number] { launcher_.confirm_applied(number); });
}

void Failures::notices_settled(std::uint32_t notices) {
  sweep(
      [this, notices](Worker& here, Rank& rank) {
        discard_messages(
            here, rank, [&](const MatchKey& key) { return job_.upper_layer->message_failure(job_.job, key, notices); });
        job_.upper_layer->give_up_matched(rank, here, notices);
      },
      [] {});
}

std::vector<ProcessId> Failures::dead() const {
  const std::lock_guard lock(mutex_);
  return dead_;
}

bool Failures::is_dead(ProcessId process) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(dead_, process) != dead_.end();
}

std::shared_ptr<const Agreement> Failures::join_agreement(const Part& part, Request& request) {
  const std::lock_guard lock(mutex_);
  const auto [place, first] = agreements_.try_emplace(part.name);
  if (first) {
    place->second = std::make_shared<Agreement>();
    place->second->missing = part.ranks_here;
  }
  const std::shared_ptr<Agreement> agreement = place->second;
  agreement->flags &= part.flags;
  agreement->acknowledged = std::min(agreement->acknowledged, part.acknowledged);
  agreement->waiting.push_back(&request);
  if (--agreement->missing == 0) {
    launcher_.agree(part.name, {agreement->flags, agreement->acknowledged, part.offered_context}, part.processes);
  }
  return agreement;
}

void Failures::agreed(const std::string& name, const bootstrap::AgreedValue& value) {
  std::shared_ptr<Agreement> agreement;
  {
    const std::lock_guard lock(mutex_);
    const auto found = agreements_.find(name);
    agreement = std::move(found->second);
    agreements_.erase(found);
    agreement->dead = dead_;
  }
  agreement->flags = value.flags;
  agreement->acknowledged = value.acknowledged;
  agreement->context = value.context;
  for (Request* const request : agreement->waiting) {
    finish_event(*request);
  }
}

}  // namespace failure
}  // namespace weft::runtime
