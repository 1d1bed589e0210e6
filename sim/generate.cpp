#include "sim/generate.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "sim/template_builder.hpp"

namespace weft::sim {
namespace {

// A number from 0 to 1 for each rank: SplitMix64 (Steele, Lea, Flood 2014), the same on all machines.
double random_part(std::uint64_t rank) {
  std::uint64_t z = (rank + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

std::uint8_t migrate_detail(const GenerateOptions& options) { return options.may_move ? kMayMove : std::uint8_t{0}; }

// The set of a rank's neighbours: two bits for each direction, below and above.
unsigned neighbours_of(const GenerateOptions& options, std::uint32_t rank) {
  unsigned set = 0;
  for (unsigned d = 0; d < 3; ++d) {
    const std::uint32_t at = rank % options.extents[d];
    rank /= options.extents[d];
    set |= (at > 0 ? 1U : 0U) << (2 * d);
    set |= (at + 1 < options.extents[d] ? 2U : 0U) << (2 * d);
  }
  return set;
}

std::uint32_t stencil_template(Workload& workload, const GenerateOptions& options, unsigned neighbours) {
  std::vector<Peer> peers;
  std::int32_t stride = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if ((neighbours >> (2 * d) & 1U) != 0) {
      peers.push_back(Peer::offset(-stride));
    }
    if ((neighbours >> (2 * d) & 2U) != 0) {
      peers.push_back(Peer::offset(stride));
    }
    stride *= static_cast<std::int32_t>(options.extents[d]);
  }
  TemplateBuilder builder(workload);
  builder.loop(options.iterations);
  std::uint16_t slot = 1;
  for (const Peer& peer : peers) {
    builder.irecv({.peer = peer, .bytes = options.bytes}, slot++);
  }
  for (const Peer& peer : peers) {
    builder.isend({.peer = peer, .bytes = options.bytes}, slot++);
  }
  builder.compute(options.work);
  if (slot > 1) {
    builder.wait(1, slot - 1U);
  }
  return builder.migrate(options.rank_bytes, migrate_detail(options)).end_loop().finish();
}

void add_streams(Workload& workload, const GenerateOptions& options) {
  for (const double scale : scales_of(options.imbalance, options.amount, options.ranks())) {
    workload.streams.push_back({.scale = scale});
  }
}

void check(const GenerateOptions& options) {
  const std::uint64_t plane = std::uint64_t{options.extents[0]} * options.extents[1];
  if (plane == 0 || options.extents[2] == 0 || plane > kMostRanks || plane * options.extents[2] > kMostRanks) {
    throw std::invalid_argument(fmt::format("--grid {}x{}x{}: expected from 1 to {} ranks", options.extents[0],
                                            options.extents[1], options.extents[2], kMostRanks));
  }
  if (options.iterations == 0 || options.iterations > 1'000'000'000 || !(options.work >= 0.0 && options.work < 1e9)) {
    throw std::invalid_argument(
        fmt::format("expected from 1 to 10^9 iterations and a work from 0 to 10^9 s, not {} and {}", options.iterations,
                    options.work));
  }
  if (!(options.amount >= 0.0 && options.amount <= 1000.0) ||
      (options.amount > 1.0 && options.imbalance != Imbalance::block)) {
    throw std::invalid_argument(
        fmt::format("expected an amount of imbalance from 0 to 1, or to 1000 of a block, not {}", options.amount));
  }
}

}  // namespace

Imbalance imbalance_named(std::string_view name) {
  constexpr std::array<std::string_view, 4> names{"even", "linear", "random", "block"};
  const auto* const found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw std::invalid_argument(fmt::format("there is no imbalance {}; there are {}", name, fmt::join(names, ", ")));
  }
  return static_cast<Imbalance>(found - names.begin());
}

std::vector<double> scales_of(Imbalance imbalance, double amount, std::uint32_t ranks) {
  std::vector<double> scales(ranks, 1.0);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const double place = ranks > 1 ? static_cast<double>(rank) / (ranks - 1) : 0.5;
    if (imbalance == Imbalance::linear || imbalance == Imbalance::random) {
      scales[rank] = 1.0 + amount * (2.0 * (imbalance == Imbalance::linear ? place : random_part(rank)) - 1.0);
    } else if (imbalance == Imbalance::block && rank < (ranks + 7) / 8) {
      scales[rank] = 1.0 + amount;
    }
  }
  return scales;
}

Workload generate_stencil(const GenerateOptions& options) {
  Workload workload;
  std::map<unsigned, std::uint32_t> templates;
  add_streams(workload, options);
  for (std::uint32_t rank = 0; rank < options.ranks(); ++rank) {
    const unsigned neighbours = neighbours_of(options, rank);
    const auto [at, is_new] = templates.try_emplace(neighbours);
    if (is_new) {
      at->second = stencil_template(workload, options, neighbours);
    }
    workload.streams[rank].pattern = at->second;
  }
  return workload;
}

Workload generate_bsp(const GenerateOptions& options) {
  Workload workload;
  workload.calls = {{.kind = CollectiveKind::allreduce, .element = 8}};
  add_streams(workload, options);
  TemplateBuilder builder(workload);
  builder.loop(options.iterations).compute(options.work).collective(0, options.bytes);
  builder.migrate(options.rank_bytes, migrate_detail(options)).end_loop().finish();
  return workload;
}

Workload generate_ping_pong(const GenerateOptions& options) {
  if (options.ranks() % 2 != 0) {
    throw std::invalid_argument("ping-pong needs an even number of ranks");
  }
  Workload workload;
  add_streams(workload, options);
  for (const int side : {0, 1}) {
    const MessageSpec message{.peer = Peer::offset(side == 0 ? 1 : -1), .bytes = options.bytes};
    TemplateBuilder builder(workload);
    builder.loop(options.iterations).compute(options.work);
    side == 0 ? builder.send(message).recv(message) : builder.recv(message).send(message);
    builder.migrate(options.rank_bytes, migrate_detail(options)).end_loop().finish();
  }
  for (std::uint32_t rank = 0; rank < options.ranks(); ++rank) {
    workload.streams[rank].pattern = rank % 2;
  }
  return workload;
}

Workload generate_ring(const GenerateOptions& options) {
  Workload workload;
  add_streams(workload, options);
  const auto ranks = static_cast<std::int32_t>(options.ranks());
  for (const int place : {0, 1, 2}) {  // first, between, last
    const MessageSpec to{.peer = Peer::offset(place == 2 ? 1 - ranks : 1), .bytes = options.bytes};
    const MessageSpec from{.peer = Peer::offset(place == 0 ? ranks - 1 : -1), .bytes = options.bytes};
    TemplateBuilder builder(workload);
    builder.loop(options.iterations);
    place == 0 ? builder.compute(options.work).send(to).recv(from) : builder.recv(from).compute(options.work).send(to);
    builder.migrate(options.rank_bytes, migrate_detail(options)).end_loop().finish();
  }
  for (std::uint32_t rank = 0; rank < options.ranks(); ++rank) {
    workload.streams[rank].pattern = rank == 0 ? 0 : rank + 1 == options.ranks() ? 2 : 1;
  }
  return workload;
}

Workload generate(std::string_view name, const GenerateOptions& options) {
  struct Kind {
    std::string_view name;
    std::uint32_t least_ranks;
    Workload (*make)(const GenerateOptions&);
  };
  constexpr std::array<Kind, 7> kKinds{{{"stencil", 1, generate_stencil},
                                        {"bsp", 1, generate_bsp},
                                        {"ping-pong", 2, generate_ping_pong},
                                        {"ring", 2, generate_ring},
                                        {"lbm", 1, generate_lbm},
                                        {"smith-waterman", 2, generate_smith_waterman},
                                        {"lu", 1, generate_lu}}};
  check(options);
  const auto* const kind = std::ranges::find(kKinds, name, &Kind::name);
  if (kind == kKinds.end()) {
    std::vector<std::string_view> names;
    std::ranges::transform(kKinds, std::back_inserter(names), &Kind::name);
    throw std::invalid_argument(fmt::format("there is no workload {}; there are {}", name, fmt::join(names, ", ")));
  }
  if (options.ranks() < kind->least_ranks) {
    throw std::invalid_argument(fmt::format("{} needs at least {} ranks, not {}: give a larger --grid", name,
                                            kind->least_ranks, options.ranks()));
  }
  return kind->make(options);
}

}  // namespace weft::sim
