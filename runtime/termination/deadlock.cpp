#include "runtime/termination/deadlock.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
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

constexpr std::size_t kMostLines = 64;

std::string context_name(const JobContext& job, const Rank& rank, std::uint32_t context) {
  return job.upper_layer != nullptr ? job.upper_layer->context_name(rank, context) : fmt::format("context {}", context);
}

std::string key_text(const JobContext& job, const Rank& rank, const MatchKey& key, std::string_view direction,
                     std::int32_t peer) {
  if (job.upper_layer != nullptr && job.upper_layer->is_collective(key.context)) {
    return "for other ranks of " + context_name(job, rank, key.context);
  }
  const std::string who = peer == kAnySource ? "any source" : fmt::format("rank {}", peer);
  const std::string tag = key.tag == kAnyTag ? "any tag" : fmt::format("tag {}", key.tag);
  return fmt::format("{} {}, {}, {}", direction, who, tag, context_name(job, rank, key.context));
}

std::string world_of(const Rank& rank) {
  return rank.world == nullptr
             ? ""
             : " of the spawned " + rank.world->applications[rank.world->application_of(rank.place)].program;
}

// Where the receiver's process would have taken the message if it were allowed more memory.
std::string limit_text(const JobContext& job, const Rank& rank, const Request& send) {
  const auto named = rank.registered_sends.find(send.id);
  if (send.id == 0 || named == rank.registered_sends.end() || !named->second.over_credit) {
    return "";
  }
  const std::uint64_t most = job.config.unexpected_limit;
  return fmt::format(
      ", whose process takes no more messages that nobody has asked for: {}",
      most == 0 ? "a tenth of the memory there stays free" : fmt::format("--unexpected-limit is {} bytes", most));
}

std::string waits_for(const JobContext& job, const Rank& rank) {
  if (rank.at_barrier != nullptr) {  // whatever else could let it go on for a while
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
  return "for the runtime, in a balancing step, say";
}

}  // namespace

bool nothing_under_way(const JobContext& job) {
  // Pairs with MainThread::worker_sleeps(): a worker that woke meanwhile and sleeps again has counted itself.
  const std::uint64_t before = job.main_thread.sleeps().load(std::memory_order_acquire);
  for (const auto& worker : job.workers) {
    if (!worker->inbox().consumer_asleep()) {
      return false;
    }
  }
  // Only then the tasks: what a worker posted before it went to sleep is seen here. Asked for earlier, a rank on its
  // way through the main thread could be missed, and a deadlock reported that is none.
  // Pairs with MainThread::worker_sleeps() as the first look does.
  return job.main_thread.sleeps().load(std::memory_order_acquire) == before && !job.main_thread.has_tasks();
}

namespace {

std::string pending_calls(const JobContext& job, const Rank& rank) {
  const std::string calls = job.upper_layer != nullptr ? job.upper_layer->pending_calls(rank) : "";
  return calls.empty() ? "" : fmt::format(" (pending: {})", calls);
}

std::string unasked_messages(const Rank& rank) {
  const std::size_t unasked = rank.mailbox.unexpected();
  return unasked == 0 ? ""
                      : fmt::format(" ({} message{} here that it does not ask for)", unasked, unasked == 1 ? "" : "s");
}

// Ranks of which the report says the same.
struct Group {
  std::string call;   // and of which world, at which place of the program
  std::string waits;  // what for
  bool has_unasked = false;
  std::vector<std::uint32_t> ranks;
};

struct Blocked {
  std::uint32_t ended = 0;
  std::vector<const Rank*> ranks;
};

Blocked blocked_ranks(const JobContext& job) {
  Blocked blocked;
  for (std::uint32_t r = 0; r < job.ranks.universe(); ++r) {
    const Rank& rank = job.ranks[r];
    if (rank.state == Rank::State::ended) {
      ++blocked.ended;
    } else if (rank.state != Rank::State::dormant && rank.worker.load(std::memory_order_relaxed) != nullptr) {
      blocked.ranks.push_back(&rank);
    }
  }
  return blocked;
}

// Those with messages that they do not ask for first: one of them is often the reason.
std::vector<Group> grouped(const JobContext& job, const std::vector<const Rank*>& ranks) {
  const std::vector<std::string> places =
      job.upper_layer != nullptr ? job.upper_layer->call_places(ranks) : std::vector<std::string>(ranks.size());
  std::vector<Group> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Rank& rank = *ranks[i];
    const std::string at = places[i].empty() ? "" : " at " + places[i];
    const std::string unasked = unasked_messages(rank);
    std::string call = fmt::format("{} in {}{}", world_of(rank), rank.call, at);
    std::string waits = waits_for(job, rank) + pending_calls(job, rank) + unasked;
    const auto [group, is_new] = known.try_emplace({call, waits}, groups.size());
    if (is_new) {
      groups.push_back({std::move(call), std::move(waits), !unasked.empty(), {}});
    }
    groups[group->second].ranks.push_back(rank.world == nullptr ? number(rank.id) : rank.place);
  }
  std::ranges::stable_partition(groups, &Group::has_unasked);
  return groups;
}

std::string lines_of(const JobContext& job, const Blocked& blocked) {
  std::string lines;
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (const Group& group : grouped(job, blocked.ranks)) {
    if (++shown <= kMostLines) {
      const bool is_one = group.ranks.size() == 1;
      lines += fmt::format("\n  {} {}{}: {} {}", is_one ? "rank" : "ranks", base::number_ranges(group.ranks),
                           group.call, is_one ? "waits" : "wait", group.waits);
    } else {
      left_out += group.ranks.size();
    }
  }
  return left_out == 0 ? lines : fmt::format("{}\n  and {} more", lines, left_out);
}

}  // namespace

std::string deadlock_report(const JobContext& job) {
  const Blocked blocked = blocked_ranks(job);
  const std::string others =
      blocked.ended == 0 ? "" : fmt::format(" ({} {} ended)", blocked.ended, blocked.ended == 1 ? "has" : "have");
  return fmt::format("weft: deadlock: all {} ranks are blocked and nothing is under way{}{}", blocked.ranks.size(),
                     others, lines_of(job, blocked));
}

std::string deadlock_part(const JobContext& job) { return lines_of(job, blocked_ranks(job)); }

}  // namespace termination
}  // namespace weft::runtime
