#include "sim/tile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/loops.hpp"

namespace weft::sim {
namespace {

using GridPosition = std::array<std::uint32_t, 3>;

constexpr double kLeastWork = 0.05;  // of the mean

GridPosition position_of(std::uint32_t rank, const GridPosition& extents) {
  return {rank % extents[0], rank / extents[0] % extents[1], rank / extents[0] / extents[1]};
}

std::uint32_t rank_at(const GridPosition& place, const GridPosition& extents) {
  return place[0] + extents[0] * (place[1] + extents[1] * place[2]);
}

std::uint64_t count(const GridPosition& extents) { return std::uint64_t{extents[0]} * extents[1] * extents[2]; }

// The position of the recorded rank whose actions the rank at `place` has.
GridPosition source_of(const GridPosition& place, const TileOptions& options) {
  GridPosition source{};
  for (unsigned d = 0; d < 3; ++d) {
    const std::uint32_t last = options.extents[d] - 1;
    const std::uint32_t fine_last = options.fine[d] - 1;
    if (place[d] == 0) {
      source[d] = 0;
    } else if (place[d] == last) {
      source[d] = fine_last;
    } else {
      source[d] = static_cast<std::uint32_t>(1 + std::uint64_t{place[d] - 1} * (fine_last - 1) / (last - 1));
    }
  }
  return source;
}

void check(const Workload& fine, const TileOptions& options) {
  if (count(options.fine) != fine.streams.size()) {
    throw std::invalid_argument(fmt::format("a grid of {} x {} x {} ranks is not one of {}", options.fine[0],
                                            options.fine[1], options.fine[2], fine.streams.size()));
  }
  if (std::uint64_t{options.extents[0]} * options.extents[1] > kMostRanks || count(options.extents) > kMostRanks) {
    throw std::invalid_argument(fmt::format("expected at most {} ranks", kMostRanks));
  }
  for (unsigned d = 0; d < 3; ++d) {
    const std::uint32_t from = options.fine[d];
    const std::uint32_t to = options.extents[d];
    if (from != to && (from < 2 || to < 2 || (from == 2) != (to == 2))) {
      throw std::invalid_argument(fmt::format(
          "{} recorded ranks in direction {} do not become {}: ends and what is between them are kept", from, d, to));
    }
  }
  for (const double factor : {options.work, options.bytes, options.rank_bytes, options.contrast}) {
    if (!(factor >= 0.0 && factor <= 1e9)) {
      throw std::invalid_argument("expected factors of at least 0");
    }
  }
}

// A rank's main loop, unrolled, with the seconds of its computing and loads as values.
struct MainLoop {
  std::vector<Action> actions;
  std::vector<Seconds> values;   // of computing and loads, in the order of the actions
  std::vector<Seconds> works{};  // between two calls of MPI_Migrate
};

bool takes_value(const Action& action) {
  return (action.kind == ActionKind::compute && action.detail == static_cast<std::uint8_t>(WorkDetail::listed)) ||
         (action.kind == ActionKind::migrate && (action.detail & kLoadListed) != 0);
}

class MainLoopReader {
 public:
  MainLoopReader(const Workload& workload, std::uint32_t rank)
      : stream_(workload.streams[rank]),
        code_(std::span(workload.actions).subspan(workload.templates[stream_.pattern].first_action)),
        value_(workload.values.data() + stream_.first_value) {}

  MainLoop read() {
    std::array<std::uint64_t, kMostLevels> left{};
    for (std::size_t at = 0; code_[at].kind != ActionKind::stop; ++at) {
      const Action& action = code_[at];
      if (action.kind == ActionKind::loop) {
        left[action.request] = action.value;
      } else if (action.kind != ActionKind::end_loop) {
        take(action);
      } else if (--left[action.request] > 0) {
        at = action.index - 1;
      }
    }
    loop_.actions.resize(kept_actions_);
    loop_.values.resize(kept_values_);
    return std::move(loop_);
  }

 private:
  void take(Action action) {
    const double listed = takes_value(action) ? static_cast<double>(*value_++) : 1.0;
    if (action.kind == ActionKind::compute) {
      add_work(action, action.seconds() * listed * stream_.scale);
    } else if (action.kind == ActionKind::migrate && !std::exchange(begun_, true)) {
      return;
    } else if (begun_) {
      loop_.actions.push_back(action);
      if (takes_value(action)) {
        loop_.values.push_back(listed);
      }
    }
    if (begun_ && action.kind == ActionKind::migrate) {
      loop_.works.push_back(std::exchange(work_, 0.0));
      kept_actions_ = loop_.actions.size();
      kept_values_ = loop_.values.size();
    }
  }
  void add_work(Action action, Seconds seconds) {
    if (begun_) {
      work_ += seconds;
      action.detail = static_cast<std::uint8_t>(WorkDetail::listed);
      action.value = std::bit_cast<std::uint64_t>(1.0);
      loop_.actions.push_back(action);
      loop_.values.push_back(seconds);
    }
  }

  const Stream& stream_;
  std::span<const Action> code_;
  const float* value_;
  MainLoop loop_;
  Seconds work_ = 0.0;
  std::size_t kept_actions_ = 0;  // up to the last call of MPI_Migrate
  std::size_t kept_values_ = 0;
  bool begun_ = false;
};

// The mean work of all ranks, by iteration.
std::vector<Seconds> mean_works(const std::vector<MainLoop>& loops) {
  std::vector<Seconds> means(loops.front().works.size());
  for (std::size_t rank = 0; rank < loops.size(); ++rank) {
    if (loops[rank].works.size() != means.size()) {
      throw WorkloadError(fmt::format("rank {} calls MPI_Migrate {} times in its main loop, rank 0 {} times", rank,
                                      loops[rank].works.size(), means.size()));
    }
    for (std::size_t i = 0; i < means.size(); ++i) {
      means[i] += loops[rank].works[i] / static_cast<double>(loops.size());
    }
  }
  if (means.empty()) {
    throw WorkloadError("there is no main loop: ranks call MPI_Migrate less than twice");
  }
  return means;
}

std::uint64_t scaled(std::uint64_t bytes, double factor) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * factor));
}

// Writes the recorded ranks' main loops into the new workload: a template and a range of values for each.
class TileWriter {
 public:
  TileWriter(const Workload& fine, const TileOptions& options, Workload& tiled)
      : fine_(fine), options_(options), tiled_(tiled) {}

  Stream write(std::uint32_t rank, MainLoop loop, const std::vector<Seconds>& means) {
    const Template& pattern = fine_.templates[fine_.streams[rank].pattern];
    const Stream stream{.pattern = static_cast<std::uint32_t>(tiled_.templates.size()),
                        .values = static_cast<std::uint32_t>(loop.values.size()),
                        .first_value = tiled_.values.size()};
    write_values(loop, means);
    for (Action& action : loop.actions) {
      adapt(rank, action);
    }
    const std::uint64_t first_channel = tiled_.channels.size();
    const std::uint32_t channels = write_channels(rank, pattern, loop.actions);
    std::vector<Action> folded = fold_loops(loop.actions);
    folded.push_back({.kind = ActionKind::stop});
    tiled_.templates.push_back({.first_action = tiled_.actions.size(),
                                .first_channel = first_channel,
                                .actions = static_cast<std::uint32_t>(folded.size()),
                                .channels = channels,
                                .requests = pattern.requests});
    tiled_.actions.insert(tiled_.actions.end(), folded.begin(), folded.end());
    return stream;
  }

 private:
  void write_values(const MainLoop& loop, const std::vector<Seconds>& means) {
    std::size_t iteration = 0;
    std::size_t next = 0;
    for (const Action& action : loop.actions) {
      if (takes_value(action)) {
        tiled_.values.push_back(
            static_cast<float>(loop.values[next++] * factor(loop.works[iteration], means[iteration])));
      }
      iteration += action.kind == ActionKind::migrate ? 1 : 0;
    }
  }
  [[nodiscard]] double factor(Seconds work, Seconds mean) const {
    const Seconds wanted = std::max(mean + options_.contrast * (work - mean), kLeastWork * mean);
    return work > 0.0 ? options_.work * wanted / work : options_.work;
  }
  void adapt(std::uint32_t rank, Action& action) {
    if (action.kind == ActionKind::collective) {
      action.index = tiled_call(rank, fine_.calls[action.index]);
    } else if (action.is_message()) {
      action.value = scaled(action.value, options_.bytes);
    } else if (action.kind == ActionKind::migrate) {
      action.value = scaled(action.value, options_.rank_bytes);
    }
  }
  // The index of the call in the new workload.
  std::uint32_t tiled_call(std::uint32_t rank, const CollectiveCall& call) {
    if (call.comm != 0 || call.counts != 0 || call.varies != 0 || call.root != 0) {
      throw WorkloadError(
          fmt::format("rank {} has a collective call of some ranks, of differing blocks or with another root than rank "
                      "0 in its main loop: these cannot be tiled",
                      rank));
    }
    const auto at = std::ranges::find(tiled_.calls, call);
    const auto index = static_cast<std::uint32_t>(at - tiled_.calls.begin());
    if (at == tiled_.calls.end()) {
      tiled_.calls.push_back(call);
    }
    return index;
  }
  // All messages from a rank to a neighbour form one channel, whatever their tags: the k-th send matches the k-th
  // receive.
  std::uint32_t write_channels(std::uint32_t rank, const Template& pattern, std::vector<Action>& actions) {
    std::vector<Channel> channels;
    for (Action& action : actions) {
      if (action.is_message()) {
        const Channel& recorded = fine_.channels[pattern.first_channel + action.index];
        const Channel channel{.end = recorded.end, .addressing = Addressing::relative, .peer = offset(rank, recorded)};
        const auto at = std::ranges::find(channels, channel);
        action.index = static_cast<std::uint32_t>(at - channels.begin());
        if (at == channels.end()) {
          channels.push_back(channel);
        }
      }
    }
    tiled_.channels.insert(tiled_.channels.end(), channels.begin(), channels.end());
    return static_cast<std::uint32_t>(channels.size());
  }
  // The offset from a rank to its neighbour in the new grid.
  [[nodiscard]] std::int32_t offset(std::uint32_t rank, const Channel& channel) const {
    const std::int64_t peer = channel.peer + (channel.addressing == Addressing::relative ? std::int64_t{rank} : 0);
    const GridPosition from = position_of(rank, options_.fine);
    const GridPosition to = position_of(static_cast<std::uint32_t>(peer), options_.fine);
    std::int64_t result = 0;
    std::int64_t stride = 1;
    for (unsigned d = 0; d < 3; ++d) {
      const std::int64_t step = std::int64_t{to[d]} - from[d];
      if (std::abs(step) > 1) {
        throw WorkloadError(
            fmt::format("rank {} has messages for rank {}, which is no neighbour in the grid", rank, peer));
      }
      result += step * stride;
      stride *= options_.extents[d];
    }
    return static_cast<std::int32_t>(result);
  }

  const Workload& fine_;
  const TileOptions& options_;
  Workload& tiled_;
};

}  // namespace

Workload tile(const Workload& fine, const TileOptions& options) {
  check(fine, options);
  std::vector<MainLoop> loops;
  for (std::uint32_t rank = 0; rank < fine.streams.size(); ++rank) {
    loops.push_back(MainLoopReader(fine, rank).read());
  }
  const std::vector<Seconds> means = mean_works(loops);
  Workload tiled;
  tiled.phases = fine.phases;
  TileWriter writer(fine, options, tiled);
  std::vector<Stream> parts;
  for (std::uint32_t rank = 0; rank < loops.size(); ++rank) {
    parts.push_back(writer.write(rank, std::exchange(loops[rank], {}), means));
  }
  for (std::uint32_t rank = 0; rank < count(options.extents); ++rank) {
    tiled.streams.push_back(parts[rank_at(source_of(position_of(rank, options.extents), options), options.fine)]);
  }
  check_workload(tiled);
  return tiled;
}

}  // namespace weft::sim
