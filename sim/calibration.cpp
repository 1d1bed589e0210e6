#include "sim/calibration.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <sstream>
#include <utility>

#include "sim/least_squares.hpp"
#include "sim/memory_calls.hpp"

namespace weft::sim {
namespace {

// The fitted values of each unknown, one for each round.
struct FitsOfRounds {
  std::array<std::vector<double>, kUnknowns> values;
  std::vector<double> misfits;

  void add(const Fit& fit) {
    for (std::size_t i = 0; i < kUnknowns; ++i) {
      values[i].push_back(fit.values[i]);
    }
    misfits.push_back(fit.misfit);
  }
  [[nodiscard]] Figure figure(std::size_t unknown) const { return figure_of(values[unknown]); }
};

// Unknowns: o, L, G, copy.
Unknowns half_round_trip(LinkKind kind, double bytes, bool is_short) {
  switch (kind) {
    case LinkKind::same_worker:
      return {2, 0, 0, is_short ? 2 * bytes : bytes};
    case LinkKind::in_memory:
      return {2, is_short ? 1.0 : 3.0, bytes, is_short ? 2 * bytes : bytes};
    case LinkKind::between_processes:
    case LinkKind::between_hosts:  // see fit_between_hosts()
      break;
  }
  return {2, is_short ? 1.0 : 3.0, bytes, is_short ? 2 * bytes : 0.0};
}

std::optional<Seconds> seconds_of(const std::vector<Timing>& round, std::string_view what) {
  const auto found = std::ranges::find(round, what, &Timing::what);
  return found == round.end() ? std::nullopt : std::optional(found->seconds);
}

// Round trips of longer messages do not count for the latency between hosts: after a pause a limited link may send some
// kilobytes faster than its rate, as one with a token bucket does.
constexpr std::uint64_t kLongestFlight = 1024;

// Between hosts. Timings of streams give o and copying. One end may do more than the other, but the model has the same
// costs at both, so their sum counts. G is that of long messages in both directions at once, and L is what is left of
// the round trips of short ones.
Fit fit_between_hosts(const std::vector<Timing>& round, std::uint64_t eager_limit) {
  std::map<std::uint64_t, Equation> both_ends;  // by the messages' length
  for (const Timing& timing : round) {
    if (timing.what == "send" || timing.what == "receive") {
      Equation& equation = both_ends[timing.bytes];
      const double overheads = timing.bytes <= eager_limit ? 2 : 3;
      equation.coefficients = {overheads, 0, 0, 2.0 * static_cast<double>(timing.bytes)};
      equation.seconds += timing.seconds;
    }
  }
  std::vector<Equation> streams;
  std::ranges::copy(both_ends | std::views::values, std::back_inserter(streams));
  const Fit work = least_squares(streams);
  const auto exchange = std::ranges::find(round, "exchange", &Timing::what);
  if (exchange == round.end() || exchange->bytes == 0) {
    throw ProbeError("a probe has not timed messages in both directions");
  }
  const Seconds per_byte = exchange->seconds / static_cast<double>(exchange->bytes);
  std::vector<Equation> flights;
  for (const Timing& timing : round) {
    if (timing.what == "ping-pong" && timing.bytes <= std::min(kLongestFlight, eager_limit)) {
      const Seconds known = 2 * work.values[0] + static_cast<double>(timing.bytes) * (work.values[3] + per_byte);
      flights.push_back({{0, 1, 0, 0}, std::max(timing.seconds - known, 0.1 * timing.seconds)});
    }
  }
  const Fit flight = least_squares(flights);
  return {.values = {work.values[0], flight.values[1], per_byte, work.values[3]},
          .misfit = std::max(work.misfit, flight.misfit)};
}

// On one worker each half round trip contains a switch between ranks. It was measured by "yield" and is subtracted.
std::vector<Equation> link_equations(const std::vector<Timing>& round, LinkKind kind, std::uint64_t eager_limit) {
  std::vector<Equation> equations;
  const Seconds known = kind == LinkKind::same_worker ? seconds_of(round, "yield").value_or(0.0) : 0.0;
  for (const Timing& timing : round) {
    const auto bytes = static_cast<double>(timing.bytes);
    if (timing.what == "ping-pong") {
      const Seconds seconds = std::max(timing.seconds - known, 0.1 * timing.seconds);
      equations.push_back({half_round_trip(kind, bytes, timing.bytes <= eager_limit), seconds});
    } else if (timing.what == "send" || timing.what == "receive") {
      equations.push_back({{1, 0, 0, bytes}, timing.seconds});
    }
  }
  return equations;
}

// The switches of a call: one for each rank of a worker, where workers have several ranks.
Seconds switches_of(const ProbeOutput& probe, Seconds switch_cost) {
  return probe.ranks > probe.workers ? switch_cost * probe.ranks / probe.workers : 0.0;
}

// Seconds for a copied byte: the difference between the longest and the shortest receive.
double copying_of(const std::vector<Timing>& round) {
  const auto is_receive = [](const Timing& timing) { return timing.what == "receive"; };
  auto receives = round | std::views::filter(is_receive);
  const auto [least, most] = std::ranges::minmax_element(receives, {}, &Timing::bytes);
  if (least == receives.end() || least->bytes == most->bytes) {
    return 0.0;
  }
  return std::max(0.0, most->seconds - least->seconds) / static_cast<double>(most->bytes - least->bytes);
}

double quantile(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

}  // namespace

ProbeOutput parse_probe(std::string_view text) {
  ProbeOutput output;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Timing timing;
    words >> timing.what;
    if (timing.what == "shape" && words >> output.ranks >> output.workers >> output.numa_nodes) {
      continue;
    }
    if (timing.what == "round") {
      output.rounds.emplace_back();
      continue;
    }
    if (output.rounds.empty() || !(words >> timing.bytes >> timing.seconds) || !(timing.seconds > 0.0)) {
      throw ProbeError("a probe has said: " + line);
    }
    output.rounds.back().push_back(timing);
  }
  if (output.workers == 0) {
    throw ProbeError("a probe has said nothing");
  }
  return output;
}

Figure figure_of(std::vector<double> values) {
  if (values.empty()) {
    return {};
  }
  std::ranges::sort(values);
  return {quantile(values, 0.5), 0.5 * (quantile(values, 0.75) - quantile(values, 0.25))};
}

LinkFigures fit_link(std::span<const std::vector<Timing>> rounds, LinkKind kind, std::uint64_t eager_limit) {
  FitsOfRounds fits;
  std::vector<double> gaps;
  for (const std::vector<Timing>& round : rounds) {
    Fit fit = kind == LinkKind::between_hosts ? fit_between_hosts(round, eager_limit)
                                              : least_squares(link_equations(round, kind, eager_limit));
    if (kind == LinkKind::same_worker) {
      fit.values[1] = seconds_of(round, "yield").value_or(0.0);
    }
    fits.add(fit);
    gaps.push_back(seconds_of(round, "flood").value_or(0.0));
  }
  return {.overhead = fits.figure(0),
          .latency = fits.figure(1),
          .gap = figure_of(gaps),
          .per_byte = fits.figure(2),
          .copy_per_byte = fits.figure(3),
          .misfit = figure_of(fits.misfits).value};
}

CollectiveFigures fit_collectives(std::span<const ProbeOutput> probes, Seconds switch_cost) {
  FitsOfRounds fits;
  const CollectiveCall allreduce{.kind = CollectiveKind::allreduce};  // a barrier counts as an allreduce of 0 bytes
  for (std::size_t round = 0; round < probes.front().rounds.size(); ++round) {
    std::vector<Equation> equations;
    for (const ProbeOutput& probe : probes) {
      for (const Timing& timing : probe.rounds[round]) {
        const bool twice =
            has_second_barrier({.call = allreduce, .counts = {}, .bytes = timing.bytes, .size = probe.ranks});
        const double barriers = twice ? 2 : 1;
        const Seconds seconds = timing.seconds - barriers * switches_of(probe, switch_cost);
        if (seconds > 0.0) {
          equations.push_back({{barriers, barriers * probe.ranks, barriers * probe.workers,
                                static_cast<double>(timing.bytes) * probe.ranks / (twice ? probe.workers : 1)},
                               seconds});
        }
      }
    }
    fits.add(least_squares(equations));
  }
  return {.step = fits.figure(0),
          .member = fits.figure(1),
          .worker = fits.figure(2),
          .per_byte = fits.figure(3),
          .misfit = figure_of(fits.misfits).value};
}

StepFigures fit_steps(const ProbeOutput& probe, Seconds switch_cost) {
  std::vector<double> steps;
  std::vector<double> moves;
  const double ranks_of_worker = static_cast<double>(probe.ranks) / probe.workers;
  for (const std::vector<Timing>& round : probe.rounds) {
    const Seconds step = seconds_of(round, "step").value_or(0.0);
    steps.push_back(std::max(0.0, step - switches_of(probe, switch_cost)));
    // Each worker packs all its ranks and unpacks as many.
    moves.push_back(std::max(0.0, seconds_of(round, "moves").value_or(step) - step) / (2.0 * ranks_of_worker));
  }
  return {.step = figure_of(steps), .move = figure_of(moves)};
}

ColdFigures fit_cold(const ProbeOutput& probe, const ProbeOutput& warm, Seconds computing) {
  // One value for each round.
  const auto timings = [](const ProbeOutput& output, auto&& timing) {
    std::vector<double> values;
    std::ranges::transform(output.rounds, std::back_inserter(values), timing);
    return values;
  };
  const auto message = [](const std::vector<Timing>& round) {
    return 0.5 * (seconds_of(round, "send").value_or(0.0) + seconds_of(round, "receive").value_or(0.0));
  };
  const auto switching = [](const std::vector<Timing>& round) { return seconds_of(round, "switch").value_or(0.0); };
  const auto more = [&](auto&& timing) {
    const Seconds known = figure_of(timings(warm, timing)).value;
    return figure_of(
        timings(probe, [&](const std::vector<Timing>& round) { return std::max(0.0, timing(round) - known); }));
  };
  return {.computing = computing,
          .message = more(message),
          .switching = more(switching),
          .copy_per_byte = figure_of(timings(probe, copying_of))};
}

double typical_spread(std::span<const std::vector<Timing>> rounds) {
  std::map<std::pair<std::string, std::uint64_t>, std::vector<double>> alike;
  for (const std::vector<Timing>& round : rounds) {
    for (const Timing& timing : round) {
      alike[{timing.what, timing.bytes}].push_back(timing.seconds);
    }
  }
  std::vector<double> spreads;
  for (const auto& [key, values] : alike) {
    const Figure figure = figure_of(values);
    spreads.push_back(figure.spread / figure.value);
  }
  return figure_of(spreads).value;
}

}  // namespace weft::sim
