#include "runtime/termination/deadlock.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/number_ranges.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/sched/main_thread.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/setup/upper_layer.hpp"
#include "runtime/setup/world.hpp"
#include "runtime/sync/deferred_collective.hpp"
#include "runtime/sync/team.hpp"

namespace weft::runtime {
inline namespace termination {
namespace {

std::string context_name(const JobContext& job, const Rank& rank, std::uint32_t context) {
  return job.upper_layer != nullptr ? job.upper_layer->context_name(rank, context) : fmt::format("context {}", context);
}

std::string key_text(const JobContext& job, const Rank& rank, const MatchKey& key, std::string_view direction,
                     std::int32_t peer) {
  const std::optional<std::int32_t> given = job.upper_layer != nullptr ? job.upper_layer->program_tag(key) : key.tag;
  if (!given) {
    return "for other ranks of " + context_name(job, rank, key.context);
  }
  const std::string who = peer == kAnySource ? "any source" : fmt::format("rank {}", peer);
  const std::string tag = *given == kAnyTag ? "any tag" : fmt::format("tag {}", *given);
  return fmt::format("{} {}, {}, {}", direction, who, tag, context_name(job, rank, key.context));
}

std::string world_of(const Rank& rank) {
  return rank.world == nullptr
             ? ""
             : " of the spawned " + rank.world->applications[rank.world->application_of(rank.rank_in_world)].program;
}

// A note on a send that waits only because of --unexpected-limit; else an empty text.
std::string limit_text(const JobContext& job, const Rank& rank, const Request& send) {
  const auto named = rank.registered_sends.find(send.id);
  if (send.id == 0 || named == rank.registered_sends.end() || !named->second.over_credit) {
    return "";
  }
  const std::uint64_t most = job.config.unexpected_limit;
  return fmt::format(
      ": the process of rank {} takes no more messages that nobody has asked for: {}", send.peer,
      most == 0 ? "a tenth of the memory there stays free" : fmt::format("--unexpected-limit is {} bytes", most));
}

std::string waits_for(const JobContext& job, const Rank& rank) {
  if (rank.at_barrier != nullptr) {  // even if a message could wake it in between
    return fmt::format("for all {} ranks of its communicator", rank.at_barrier->size());
  }
  if (rank.waiting_on != nullptr) {
    const Request& request = *rank.waiting_on;
    if (request.key.context == kTeamContext) {
      return "for the other ranks of its communicator";
    }
    return request.kind == Request::Kind::send
               ? key_text(job, rank, request.key, "to send to", request.peer) + limit_text(job, rank, request)
               : key_text(job, rank, request.key, "from", request.key.source);
  }
  if (rank.probing != nullptr) {
    return key_text(job, rank, *rank.probing, "from", rank.probing->source);
  }
  return rank.in_step ? "for ranks that have not come to the balancing step" : "for an answer of the runtime";
}

}  // namespace

bool nothing_under_way(const JobContext& job) {
  const std::uint64_t before = job.main_thread.sleeps();
  for (const auto& worker : job.workers) {
    if (!worker->inbox().consumer_asleep()) {
      return false;
    }
  }
  // First the workers: one that has woken meanwhile may stand by now, and wait for calls of its ranks' threads. Its
  // inbox looks as before, but it does not count as asleep. Then the tasks: one that a worker posted before it went to
  // sleep is seen here. In the other order a rank on its way through the main thread could be missed, and a deadlock
  // reported that is none.
  return job.main_thread.all_slept_since(before) && !job.main_thread.has_tasks();
}

namespace {

std::string pending_calls(const JobContext& job, const Rank& rank) {
  const std::string calls = job.upper_layer != nullptr ? job.upper_layer->pending_calls(rank) : "";
  return calls.empty() ? "" : fmt::format(" (pending: {})", calls);
}

std::string unexpected_messages(const Rank& rank) {
  const std::size_t unexpected = rank.mailbox.unexpected();
  return unexpected == 0
             ? ""
             : fmt::format(" ({} message{} here that it does not ask for)", unexpected, unexpected == 1 ? "" : "s");
}

// A number for each world; 0 for the one that the job began with.
std::uint32_t world_number(const Rank& rank) { return rank.world == nullptr ? 0 : rank.world->ranks.front(); }

// Ranks with the same text in the report.
struct Group {
  const BlockedRank* what;
  std::vector<std::uint32_t> ranks;
};

// Groups with unexpected messages come first: such a rank is often the cause.
std::vector<Group> grouped(std::vector<BlockedRank>& ranks) {
  const auto what = [](const BlockedRank& rank) { return std::tie(rank.world, rank.call, rank.waits); };
  std::ranges::sort(ranks, {},
                    [&](const BlockedRank& rank) { return std::tuple_cat(what(rank), std::tie(rank.number)); });
  std::vector<Group> groups;
  for (const BlockedRank& rank : ranks) {
    if (groups.empty() || what(*groups.back().what) != what(rank)) {
      groups.push_back({&rank, {}});
    }
    groups.back().ranks.push_back(rank.number);
  }
  std::ranges::sort(groups, {}, [](const Group& group) {
    return std::tuple(!group.what->has_unexpected, group.what->world, group.ranks.front());
  });
  return groups;
}

std::string line_of(const Group& group) {
  const bool is_one = group.ranks.size() == 1;
  return fmt::format("\n  {} {}{}: {} {}", is_one ? "rank" : "ranks", base::number_ranges(group.ranks),
                     group.what->call, is_one ? "waits" : "wait", group.what->waits);
}

}  // namespace

BlockedRanks blocked_ranks(const JobContext& job) {
  BlockedRanks blocked;
  std::vector<const Rank*> ranks;
  for (std::uint32_t r = 0; r < job.ranks.universe(); ++r) {
    const Rank& rank = job.ranks[r];
    if (rank.state == Rank::State::dormant || rank.worker.load(std::memory_order_relaxed) == nullptr) {
      continue;
    }
    if (rank.state == Rank::State::ended) {
      ++blocked.ended;
    } else {
      ranks.push_back(&rank);
    }
  }
  const std::vector<std::string> places =
      job.upper_layer != nullptr ? job.upper_layer->call_places(ranks) : std::vector<std::string>(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Rank& rank = *ranks[i];
    const std::string at = places[i].empty() ? "" : " at " + places[i];
    const std::string unexpected = unexpected_messages(rank);
    blocked.ranks.push_back({.world = world_number(rank),
                             .number = rank.world == nullptr ? number(rank.id) : rank.rank_in_world,
                             .call = fmt::format("{} in {}{}", world_of(rank), rank.call, at),
                             .waits = waits_for(job, rank) + pending_calls(job, rank) + unexpected,
                             .has_unexpected = !unexpected.empty()});
  }
  return blocked;
}

std::string deadlock_report(BlockedRanks blocked) {
  constexpr std::size_t kMostLines = 64;
  std::string text =
      fmt::format("weft: deadlock: all {} ranks are blocked and nothing is under way", blocked.ranks.size());
  if (blocked.ended != 0) {
    text += fmt::format(" ({} {} ended)", blocked.ended, blocked.ended == 1 ? "has" : "have");
  }
  const std::vector<Group> groups = grouped(blocked.ranks);
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i < kMostLines) {
      text += line_of(groups[i]);
    } else {
      left_out += groups[i].ranks.size();
    }
  }
  return left_out == 0 ? text : fmt::format("{}\n  and {} more", text, left_out);
}

}  // namespace termination
}  // namespace weft::runtime
