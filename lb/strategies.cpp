// The table of strategies, by name.
#include "lb/background.hpp"
#include "lb/gossip.hpp"
#include "lb/greedy.hpp"
#include "lb/greedy_refine.hpp"
#include "lb/hierarchical.hpp"
#include "lb/hwtopo.hpp"
#ifdef WEFT_HAS_METIS
#include "lb/metis.hpp"
#endif
#include "lb/migbsp.hpp"
#include "lb/none.hpp"
#include "lb/nuco.hpp"
#include "lb/parse.hpp"
#include "lb/random.hpp"
#include "lb/refine.hpp"
#include "lb/rotate.hpp"
#include "lb/strategy.hpp"

namespace weft::lb {
namespace {

using Made = std::unique_ptr<Strategy>;

template <typename S>
Made make(std::string_view) {
  return std::make_unique<S>();
}

constexpr Range<double> kTolerance{1.0, 10.0};

Made make_refine(std::string_view argument) {
  return std::make_unique<Refine>(parse_number("refine", argument, 1.05, kTolerance));
}
Made make_refine_bisect(std::string_view argument) {
  return std::make_unique<RefineBisect>(parse_number("refine-bisect", argument, 0.01, {0.0001, 1.0}));
}
Made make_greedy_refine(std::string_view argument) {
  return std::make_unique<GreedyRefine>(parse_number("greedy-refine", argument, 1.02, kTolerance));
}
Made make_background(std::string_view argument) {
  return std::make_unique<Background>(parse_number("background", argument, 0.05, {0.0, 10.0}));
}
Made make_gossip(std::string_view argument) {
  return std::make_unique<Gossip>(parse_count("gossip", argument, 1, {0, ~std::uint64_t{0}}));
}
#ifdef WEFT_HAS_METIS
Made make_metis(std::string_view argument) {
  return std::make_unique<Metis>(parse_count("metis", argument, 100, {1, 1'000'000'000}));
}
#endif
Made make_migbsp(std::string_view argument) { return std::make_unique<Migbsp>(parse_migbsp(argument)); }
Made make_random(std::string_view argument) {
  return std::make_unique<Random>(parse_count("random", argument, 1, {0, ~std::uint64_t{0}}));
}
// "outer/inner": names with their arguments; neither may be `hierarchical`.
Made make_hierarchical(std::string_view argument) {
  const auto slash = argument.find('/');
  const std::string_view outer = argument.empty() ? "refine:1.02" : argument.substr(0, slash);
  const std::string_view inner =
      argument.empty() || slash == std::string_view::npos ? "refine" : argument.substr(slash + 1);
  for (const std::string_view part : {outer, inner}) {
    if (part.empty() || part.find('/') != std::string_view::npos || part.starts_with("hierarchical")) {
      refuse_argument("hierarchical", argument, "OUTER/INNER, as hwtopo/refine");
    }
  }
  return std::make_unique<Hierarchical>(make_strategy(outer), make_strategy(inner));
}

constexpr StrategyInfo kStrategies[] = {
    StrategyInfo{"none", "", "No rank moves.", "NullLB of Charm++", make<None>},
    StrategyInfo{"refine", "TOLERANCE",
                 "Only workers above TOLERANCE (1.05) x the ideal give ranks away: few moves. The first to try.",
                 "RefineLB of Charm++; Keller Tesser 2016", make_refine},
    StrategyInfo{"refine-bisect", "STEP",
                 "refine with the least tolerance that it can keep, to within STEP (0.01). More moves, better balance.",
                 "RefineLB of Charm++ (bisection of its tolerance)", make_refine_bisect},
    StrategyInfo{"greedy", "", "Longest rank first onto the least loaded worker: best balance, most moves.",
                 "Graham 1969 (longest processing time first); GreedyLB of Charm++", make<Greedy>},
    StrategyInfo{"greedy-refine", "TOLERANCE",
                 "greedy, but ranks stay home where greedy's result times TOLERANCE (1.02) allows it.",
                 "GreedyRefineLB of Charm++", make_greedy_refine},
    StrategyInfo{"background", "EPS",
                 "For shared cores: load and what other jobs take come to within EPS (0.05) of the average.",
                 "Sarood, Gupta, Kale 2012, Algorithm 1", make_background},
    StrategyInfo{"hierarchical", "OUTER/INNER",
                 "OUTER between hosts and processes, INNER within a process (refine:1.02/refine). For many processes.",
                 "HierarchicalLB, as in Keller Tesser 2016", make_hierarchical},
    StrategyInfo{"nuco", "", "greedy that counts messages between NUMA nodes, processes and hosts against load.",
                 "NucoLB: Pilla et al. 2012", make<Nuco>},
    StrategyInfo{"hwtopo", "", "refine that counts each link's latency and bandwidth: for programs bound by messages.",
                 "HwTopoLB: Pilla et al. 2014", make<HwTopo>},
#ifdef WEFT_HAS_METIS
    StrategyInfo{
        "metis", "INTERVALS",
        "METIS cuts the graph of messages; or hwtopo's plan: what with its moves costs less over INTERVALS (100).",
        "METIS: Karypis, Kumar 1998; remapping: Schloegel, Karypis, Kumar 2000", make_metis},
#endif
    StrategyInfo{"gossip", "SEED",
                 "Loaded workers learn of idle ones from messages that workers pass on, and give ranks at random: no "
                 "place knows all.",
                 "GrapevineLB: Menon, Kale 2013", make_gossip},
    StrategyInfo{"migbsp", "PART,thesis,delta=D",
                 "Potential of migration, few moves at a step: ranks above PART (0.8) of the highest, or `one`.",
                 "MigBSP: Righi 2009, eq. 4.4-4.10", make_migbsp},
    StrategyInfo{"rotate", "", "Every rank goes to the next worker: for tests, everything moves at every step.",
                 "RotateLB of Charm++", make<Rotate>},
    StrategyInfo{"random", "SEED", "Every rank goes anywhere, the same way in every run with this SEED (1): for tests.",
                 "RandCentLB of Charm++", make_random},
};

}  // namespace

std::span<const StrategyInfo> strategies() { return kStrategies; }

std::unique_ptr<Strategy> make_strategy(std::string_view text) {
  const NameAndArgument parsed = split_argument(text);
  return find_row(strategies(), "strategy", parsed).make(parsed.argument);
}

}  // namespace weft::lb
