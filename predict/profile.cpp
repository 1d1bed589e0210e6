#include "predict/profile.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "sim/recorded_calls.hpp"
#include "trace/communicators.hpp"
#include "trace/manifest.hpp"
#include "trace/sequence.hpp"

namespace weft::predict {
namespace {

using trace::Event;
using trace::EventKind;

class ProfileReader {
 public:
  ProfileReader(Profile& profile, const trace::Names& names) : profile_(profile), names_(names), ranks_(profile.ranks) {
    profile_.rank_computing.resize(profile.ranks);
  }

  void handle(const Event& event) {
    if (event.kind == EventKind::comm) {
      comms_.define(event.comm, names_.texts()[event.name]);
    }
    if (!trace::has_rank(event.kind) || number(event.rank) >= ranks_.size()) {
      return;  // spawned ranks, whose numbers follow those of the start, do not count
    }
    begin_ = std::min(begin_, event.time);
    end_ = std::max(end_, event.time);
    RankState& rank = ranks_[number(event.rank)];
    switch (event.kind) {
      case EventKind::compute:
        profile_.rank_computing[number(event.rank)] += static_cast<double>(event.value) * 1e-9;
        break;
      case EventKind::call_begin:
        enter(rank, event);
        break;
      case EventKind::call_end:
        leave(rank, event.time);
        break;
      case EventKind::sent:
      case EventKind::start_send:
        send(event);
        break;
      case EventKind::collective:
        collective(rank, event);
        break;
      case EventKind::start_collective:
        rank.persistent[event.request] = rank.last;
        break;
      case EventKind::restart:
        if (const auto known = rank.persistent.find(event.request); known != rank.persistent.end()) {
          count(known->second);
        }
        break;
      case EventKind::migrate:
        profile_.bytes_to_move = std::max(profile_.bytes_to_move, static_cast<std::uint64_t>(event.more));
        break;
      default:
        break;
    }
  }

  void finish(double ticks_per_second) {
    profile_.time = end_ > begin_ ? static_cast<double>(end_ - begin_) / ticks_per_second : 0.0;
    profile_.waiting = static_cast<double>(in_calls_) / ticks_per_second / std::max(1U, profile_.ranks);
    for (const auto& [pair, sum] : traffic_) {
      profile_.traffic.push_back({.from = pair.first, .to = pair.second, .messages = sum.first, .bytes = sum.second});
    }
    for (auto& [key, calls] : collectives_) {
      calls.members = members(key.first);
      const MessageShare share = share_of(calls);
      profile_.collectives += calls.calls;
      profile_.collective_messages += share.messages;
      profile_.collective_bytes += share.bytes;
      profile_.collective_calls.push_back(std::move(calls));
    }
  }

 private:
  struct CollectiveUse {
    std::uint32_t comm = 0;  // its index
    std::optional<sim::CollectiveKind> kind;
    double bytes = 0.0;
  };
  struct RankState {
    unsigned depth = 0;                                           // of calls within calls
    std::uint64_t entered = 0;                                    // the outermost
    sim::CallMeaning meaning;                                     // of the innermost
    CollectiveUse last;                                           // the last collective call
    std::unordered_map<std::uint32_t, CollectiveUse> persistent;  // by request
  };

  void enter(RankState& rank, const Event& event) {
    if (rank.depth++ == 0) {
      rank.entered = event.time;
    }
    const auto [known, is_new] = meanings_.try_emplace(event.name);
    if (is_new) {
      known->second = sim::meaning_of(names_.texts()[event.name]);
    }
    rank.meaning = known->second;
  }
  void leave(RankState& rank, std::uint64_t time) {
    if (rank.depth > 0 && --rank.depth == 0) {
      in_calls_ += time - std::min(time, rank.entered);
    }
  }
  void send(const Event& event) {
    const std::uint32_t comm = comms_.find(event.comm, event.rank);
    const std::uint32_t to = comms_.peer(comm, event.rank, event.peer);
    ++profile_.messages;
    profile_.message_bytes += static_cast<std::uint64_t>(event.value);
    auto& sum = traffic_[{number(event.rank), to}];
    ++sum.first;
    sum.second += static_cast<std::uint64_t>(event.value);
  }
  // The ranks in the job of the communicator's members; all ranks where it is not known.
  [[nodiscard]] std::vector<std::uint32_t> members(std::uint32_t comm) const {
    std::vector<std::uint32_t> ranks;
    if (comm == trace::Communicators::kUnknown) {
      ranks.resize(profile_.ranks);
      std::iota(ranks.begin(), ranks.end(), 0U);
      return ranks;
    }
    const trace::Communicator& known = comms_.all()[comm];
    ranks = known.group;
    ranks.insert(ranks.end(), known.other.begin(), known.other.end());
    return ranks;
  }
  void collective(RankState& rank, const Event& event) {
    const double out = static_cast<double>(event.value);
    const double in = static_cast<double>(event.more);
    if (!rank.meaning.collective && !rank.meaning.neighbours) {
      return;
    }
    rank.last = {.comm = comms_.find(event.comm, event.rank),
                 .kind = rank.meaning.collective,
                 .bytes = rank.meaning.collective ? block_bytes(*rank.meaning.collective, out, in) : out};
    if (!rank.meaning.persistent) {
      count(rank.last);
    }
  }
  void count(const CollectiveUse& use) {
    CollectiveCalls& calls = collectives_[{use.comm, use.kind}];
    calls.kind = use.kind;
    ++calls.calls;
    calls.bytes += use.bytes;
  }

  Profile& profile_;
  const trace::Names& names_;
  trace::Communicators comms_;
  std::vector<RankState> ranks_;
  std::unordered_map<std::uint32_t, sim::CallMeaning> meanings_;  // by name
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, std::uint64_t>> traffic_;
  // By index of the communicator and kind.
  std::map<std::pair<std::uint32_t, std::optional<sim::CollectiveKind>>, CollectiveCalls> collectives_;
  std::uint64_t begin_ = UINT64_MAX;
  std::uint64_t end_ = 0;
  std::uint64_t in_calls_ = 0;
};

}  // namespace

double Profile::computing() const { return std::accumulate(rank_computing.begin(), rank_computing.end(), 0.0); }

double Profile::sends_per_rank() const {
  return (static_cast<double>(messages) + collective_messages) / std::max(1U, ranks);
}

double Profile::bytes_per_send() const {
  const double all = static_cast<double>(messages) + collective_messages;
  return all > 0.0 ? (static_cast<double>(message_bytes) + collective_bytes) / all : 0.0;
}

double Profile::idle_of_worker(double quota) const {
  return std::max(0.0, time - computing() / (quota * std::max(1U, std::min(ranks, workers))));
}

Profile read_profile(const std::string& folder) {
  const trace::Manifest manifest = trace::read_manifest(folder);
  const std::vector<trace::ProcessFiles> parts = trace::process_files(folder, manifest);
  Profile profile{.name = folder,
                  .program = std::filesystem::path(manifest.program).filename().string(),
                  .exit_code = manifest.exit_code,
                  .ranks = manifest.ranks(),
                  .workers = static_cast<std::uint32_t>(manifest.workers.size()),
                  .hosts = static_cast<std::uint32_t>(manifest.hosts.size())};
  trace::Names names;
  trace::Sequence sequence(parts, names);
  ProfileReader reader(profile, names);
  std::uint32_t worker = 0;
  for (Event event; sequence.next(worker, event);) {
    reader.handle(event);
  }
  reader.finish(1e9 * trace::ticks_per_nanosecond(parts.front().clock));
  return profile;
}

}  // namespace weft::predict
