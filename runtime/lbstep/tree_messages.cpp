#include "runtime/lbstep/tree_messages.hpp"

#include <algorithm>

namespace weft::runtime {
inline namespace lbstep {
namespace {

template <typename T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// Each worker once, ascending.
void add_work(std::vector<WorkerWork>& sums, const std::vector<WorkerWork>& more) {
  append(sums, more);
  std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.worker < b.worker; });
  std::size_t kept = 0;
  for (const WorkerWork& next : sums) {
    if (kept != 0 && sums[kept - 1].worker == next.worker) {
      sums[kept - 1].work += next.work;
    } else {
      sums[kept++] = next;
    }
  }
  sums.resize(kept);
}

}  // namespace

void PlanOutcome::add(const PlanOutcome& other) {
  longest = std::max(longest, other.longest);
  planned_moves += other.planned_moves;
  planned_bytes += other.planned_bytes;
  moves += other.moves;
  crossings += other.crossings;
  bytes += other.bytes;
  add_work(work, other.work);
  append(announced_moves, other.announced_moves);
  append(local_moves, other.local_moves);
}

void StepSums::add(const StepSums& other) {
  processes += other.processes;
  call = std::max(call, other.call);
  checkpoint = checkpoint.empty() ? other.checkpoint : checkpoint;
  image = image || other.image;
  pinned = pinned.empty() ? other.pinned : pinned;
  private_bytes += other.private_bytes;
  append(evacuating, other.evacuating);
  append(workers, other.workers);
  add_work(at_first_homes, other.at_first_homes);
  outcomes.resize(std::max(outcomes.size(), other.outcomes.size()));
  for (std::size_t i = 0; i < other.outcomes.size(); ++i) {
    outcomes[i].add(other.outcomes[i]);
  }
  append(homes, other.homes);
}

}  // namespace lbstep
}  // namespace weft::runtime
