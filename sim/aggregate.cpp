#include "sim/aggregate.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/input_file.hpp"
#include "sim/coarse_ranks.hpp"
#include "sim/logical_steps.hpp"
#include "sim/recorded_streams.hpp"

namespace weft::sim {
namespace {

// Writes the action of a group's sync point into the result.
class SyncPointWriter {
 public:
  SyncPointWriter(const Workload& fine, const std::vector<std::uint32_t>& groups, std::uint32_t count, Workload& coarse)
      : fine_(fine), groups_(groups), sizes_(count), coarse_(coarse) {
    for (const std::uint32_t group : groups) {
      ++sizes_[group];
    }
  }

  std::optional<Action> write(std::uint32_t group, const CoarseSyncPoint& sync_point) {
    const Action& first = sync_point.actions.front();
    if (sync_point.ranks.size() != sizes_[group] ||
        !std::ranges::all_of(sync_point.actions, [&](const Action& other) { return alike(first, other); })) {
      throw WorkloadError(
          fmt::format("rank {} and others of group {} differ in their calls", sync_point.ranks[0], group));
    }
    if (first.kind == ActionKind::migrate) {
      return migrate(sync_point);
    }
    return sizes_.size() == 1 ? std::nullopt : std::optional(collective(sync_point));
  }

 private:
  [[nodiscard]] bool alike(const Action& a, const Action& b) const {
    return a.kind == b.kind &&
           (a.kind == ActionKind::migrate ? ((a.detail ^ b.detail) & kLoadListed) == 0
                                          : calls_alike(fine_.calls[a.index], fine_.calls[b.index]));
  }
  static bool calls_alike(const CollectiveCall& a, const CollectiveCall& b) {
    return a.kind == b.kind && a.comm == b.comm && a.root == b.root;
  }
  static Action migrate(const CoarseSyncPoint& sync_point) {
    Action action{.kind = ActionKind::migrate, .detail = kMayMove | kLoadListed};
    for (const Action& other : sync_point.actions) {
      action.value += other.value;
      action.detail &= other.detail;
    }
    return action;
  }

  Action collective(const CoarseSyncPoint& sync_point) {
    CollectiveCall call = fine_.calls[sync_point.actions.front().index];
    if (call.comm != 0 && fine_.comms[call.comm].members != fine_.streams.size()) {
      throw WorkloadError("collective calls of some of the ranks cannot be aggregated");
    }
    const std::vector<std::uint64_t> counts = counts_of(sync_point);
    call.root = group_of_member(call, call.root);
    call.comm = 0;
    call.counts = static_cast<std::uint32_t>(counts.size());
    call.first_count = 0;
    return {.kind = ActionKind::collective, .index = list(call, counts), .value = bytes_of(sync_point, call)};
  }
  [[nodiscard]] std::uint32_t group_of_member(const CollectiveCall& call, std::uint32_t member) const {
    return groups_[call.comm == 0 ? member : fine_.members[fine_.comms[call.comm].first_member + member]];
  }
  // For alltoall the ranks' counts add up; for other calls all ranks know the same counts.
  std::vector<std::uint64_t> counts_of(const CoarseSyncPoint& sync_point) const {
    std::vector<std::uint64_t> counts;
    for (const Action& action : sync_point.actions) {
      const CollectiveCall& call = fine_.calls[action.index];
      if (call.counts == 0 || (!counts.empty() && call.kind != CollectiveKind::alltoall)) {
        continue;
      }
      counts.resize(sizes_.size());
      for (std::uint32_t member = 0; member < call.counts; ++member) {
        counts[group_of_member(call, member)] += fine_.counts[call.first_count + member];
      }
    }
    return counts;
  }
  [[nodiscard]] std::uint64_t bytes_of(const CoarseSyncPoint& sync_point, const CollectiveCall& call) const {
    std::uint64_t sum = 0;
    std::uint64_t most = 0;
    for (const Action& action : sync_point.actions) {
      sum += action.value;
      most = std::max(most, action.value);
    }
    const bool blocks = call.kind == CollectiveKind::gather || call.kind == CollectiveKind::scatter ||
                        call.kind == CollectiveKind::allgather || call.kind == CollectiveKind::alltoall ||
                        call.kind == CollectiveKind::reduce_scatter;
    if (blocks && call.varies == 0 && std::ranges::adjacent_find(sizes_, std::not_equal_to{}) != sizes_.end()) {
      throw WorkloadError("groups of different sizes have no collective calls whose blocks are alike");
    }
    return !blocks ? most : call.kind == CollectiveKind::alltoall ? sum * groups_.size() / sizes_.size() : sum;
  }
  std::uint32_t list(CollectiveCall call, const std::vector<std::uint64_t>& counts) {
    const auto key = fmt::format("{} {} {} {} {}", static_cast<int>(call.kind), call.varies, call.element, call.root,
                                 fmt::join(counts, ","));
    const auto [at, is_new] = calls_.try_emplace(key, static_cast<std::uint32_t>(coarse_.calls.size()));
    if (is_new) {
      call.first_count = counts.empty() ? 0 : coarse_.counts.size();
      coarse_.calls.push_back(call);
      coarse_.counts.insert(coarse_.counts.end(), counts.begin(), counts.end());
    }
    return at->second;
  }

  const Workload& fine_;
  const std::vector<std::uint32_t>& groups_;
  std::vector<std::uint32_t> sizes_;  // by group
  Workload& coarse_;
  std::map<std::string, std::uint32_t> calls_;
};

std::uint32_t count_groups(const Workload& fine, const std::vector<std::uint32_t>& groups) {
  if (groups.size() != fine.streams.size()) {
    throw std::invalid_argument(
        fmt::format("{} ranks are in groups, the workload has {}", groups.size(), fine.streams.size()));
  }
  const std::set<std::uint32_t> all(groups.begin(), groups.end());
  if (*all.rbegin() + std::size_t{1} != all.size()) {
    throw std::invalid_argument(fmt::format("group {} is the last of {}: some are empty", *all.rbegin(), all.size()));
  }
  return static_cast<std::uint32_t>(all.size());
}

// Work by rank and call of MPI_Migrate.
class WorkByCall : public LogicalStepObserver {
 public:
  explicit WorkByCall(std::size_t ranks) : works_(ranks, std::vector<Seconds>(1)) {}
  void on_work(std::uint32_t rank, LogicalStep, std::uint32_t, Seconds seconds) override {
    works_[rank].back() += seconds;
  }
  void on_send(const Sent&) override {}
  void on_wait(std::uint32_t) override {}
  void on_send_complete(const Sent&, LogicalStep) override {}
  void on_receive(const Sent&, LogicalStep, LogicalStep) override {}
  void on_sync_point(std::uint32_t rank, std::uint64_t, const Action& action, Seconds) override {
    if (action.kind == ActionKind::migrate) {
      works_[rank].push_back(0.0);
    }
  }
  [[nodiscard]] const std::vector<std::vector<Seconds>>& works() const { return works_; }

 private:
  std::vector<std::vector<Seconds>> works_;
};

std::vector<std::vector<Seconds>> works_of(const Workload& workload) {
  WorkByCall works(workload.streams.size());
  const std::vector<std::uint32_t> one(workload.streams.size());
  LogicalStepRun(workload, one, works).run();
  return works.works();
}

Seconds sum(const std::vector<Seconds>& all) {
  Seconds result = 0.0;
  for (const Seconds seconds : all) {
    result += seconds;
  }
  return result;
}

}  // namespace

std::vector<std::uint32_t> groups_of(const RankGrid& grid) {
  std::array<std::uint32_t, 3> counts{};
  std::uint64_t ranks = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (grid.blocks[d] == 0 || grid.extents[d] == 0 || grid.extents[d] % grid.blocks[d] != 0) {
      throw std::invalid_argument(
          fmt::format("{} ranks in direction {} are not cut into blocks of {}", grid.extents[d], d, grid.blocks[d]));
    }
    counts[d] = grid.extents[d] / grid.blocks[d];
    ranks *= grid.extents[d];
  }
  std::array<unsigned, 3> order{0, 1, 2};  // the fastest first
  if (grid.last_fastest) {
    std::ranges::reverse(order);
  }
  std::vector<std::uint32_t> groups;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    std::uint64_t rest = rank;
    std::uint64_t group = 0;
    std::uint64_t stride = 1;
    for (const unsigned d : order) {
      group += rest % grid.extents[d] / grid.blocks[d] * stride;
      rest /= grid.extents[d];
      stride *= counts[d];
    }
    groups.push_back(static_cast<std::uint32_t>(group));
  }
  return groups;
}

std::vector<std::uint32_t> read_groups(const std::string& file) {
  if (const std::string why = base::why_unreadable(file); !why.empty()) {
    throw std::invalid_argument(why);
  }
  std::ifstream in(file);
  std::vector<std::uint32_t> groups;
  for (std::uint32_t group = 0; in >> group;) {
    groups.push_back(group);
  }
  if (!in.eof() || groups.empty()) {
    throw std::invalid_argument(fmt::format("{}: expected the group of each rank as a number", file));
  }
  return groups;
}

Workload aggregate(const Workload& fine, const std::vector<std::uint32_t>& groups) {
  const std::uint32_t count = count_groups(fine, groups);
  CoarseRanks ranks(groups, count);
  LogicalStepRun(fine, groups, ranks).run();
  Workload coarse;
  coarse.phases = fine.phases;
  SyncPointWriter writer(fine, groups, count, coarse);
  std::vector<RecordedProgram> programs;
  for (std::uint32_t group = 0; group < count; ++group) {
    std::vector<std::optional<Action>> actions;
    for (const CoarseSyncPoint& sync_point : ranks.sync_points()[group]) {
      actions.push_back(writer.write(group, sync_point));
    }
    programs.push_back(ranks.program(group, actions));
  }
  add_streams(coarse, std::move(programs));
  check_workload(coarse);
  return coarse;
}

AdditivityError additivity_error(const Workload& aggregated, const Workload& real) {
  if (aggregated.streams.size() != real.streams.size()) {
    throw std::invalid_argument(fmt::format("the aggregated workload has {} ranks, the real one {}",
                                            aggregated.streams.size(), real.streams.size()));
  }
  const auto ours = works_of(aggregated);
  const auto theirs = works_of(real);
  AdditivityError error;
  Seconds all = 0.0;
  Seconds squares = 0.0;
  std::size_t cells = 0;
  Seconds furthest = 0.0;
  for (std::size_t rank = 0; rank < ours.size(); ++rank) {
    const Seconds difference = sum(ours[rank]) - sum(theirs[rank]);
    all += sum(theirs[rank]);
    error.total += difference;
    furthest = std::max(furthest, std::abs(difference));
    const bool by_call = ours[rank].size() == theirs[rank].size();
    for (std::size_t call = 0; call < (by_call ? ours[rank].size() : 1); ++call) {
      squares += std::pow(by_call ? ours[rank][call] - theirs[rank][call] : difference, 2);
      ++cells;
    }
  }
  const auto share = [](Seconds part, Seconds whole) { return part == 0.0 ? 0.0 : part / whole; };
  error.total = share(error.total, all);
  error.rank = share(furthest, all / static_cast<double>(ours.size()));
  error.rms = share(std::sqrt(squares / static_cast<double>(cells)), all / static_cast<double>(cells));
  return error;
}

}  // namespace weft::sim
