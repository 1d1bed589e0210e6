#include "runtime/termination/deadlock.hpp"

#include <fmt/format.h>

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

constexpr std::uint32_t kRanksShown = 64;

std::string context_name(const JobContext& job, const Rank& rank, std::uint32_t context) {
  return job.upper_layer != nullptr ? job.upper_layer->context_name(rank, context) : fmt::format("context {}", context);
}

std::string key_text(const JobContext& job, const Rank& rank, const MatchKey& key, std::string_view direction,
                     std::int32_t peer) {
  const std::string who = peer == kAnySource ? "any source" : fmt::format("rank {}", peer);
  const std::string tag = key.tag == kAnyTag ? "any tag" : fmt::format("tag {}", key.tag);
  return fmt::format("{} {}, {}, {}", direction, who, tag, context_name(job, rank, key.context));
}

std::string name_of(const Rank& rank) {
  return rank.world == nullptr ? fmt::format("rank {}", number(rank.id))
                               : fmt::format("rank {} of the spawned {}", rank.place,
                                             rank.world->applications[rank.world->application_of(rank.place)].program);
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
    return fmt::format("for the other {} ranks of its communicator", rank.at_barrier->size() - 1);
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
  return "suspended";
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

struct Blocked {
  std::uint32_t live = 0;
  std::uint32_t ended = 0;
  std::string lines;
};

Blocked blocked_ranks(const JobContext& job) {
  Blocked blocked;
  for (std::uint32_t r = 0; r < job.ranks.universe(); ++r) {
    const Rank& rank = job.ranks[r];
    if (rank.state == Rank::State::dormant) {
      continue;
    }
    if (rank.state == Rank::State::ended) {
      ++blocked.ended;
      continue;
    }
    if (rank.worker.load(std::memory_order_relaxed) == nullptr) {
      continue;
    }
    if (++blocked.live <= kRanksShown) {
      blocked.lines += fmt::format("\n  {} in {}: waits {}{}{}", name_of(rank), rank.call, waits_for(job, rank),
                                   pending_calls(job, rank), unasked_messages(rank));
    }
  }
  if (blocked.live > kRanksShown) {
    blocked.lines += fmt::format("\n  and {} more", blocked.live - kRanksShown);
  }
  return blocked;
}

}  // namespace

std::string deadlock_report(const JobContext& job) {
  const Blocked blocked = blocked_ranks(job);
  const std::string others =
      blocked.ended == 0 ? "" : fmt::format(" ({} {} ended)", blocked.ended, blocked.ended == 1 ? "has" : "have");
  return fmt::format("weft: deadlock: all {} ranks are blocked and nothing is under way{}{}", blocked.live, others,
                     blocked.lines);
}

std::string deadlock_part(const JobContext& job) { return blocked_ranks(job).lines; }

}  // namespace termination
}  // namespace weft::runtime
