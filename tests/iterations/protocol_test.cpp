// Small jobs in all orders in which messages can arrive and ranks can act; larger ones in random orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include "protocol_model.hpp"
#include "tests/sanitized.hpp"

namespace weft::iterations {
namespace {

const Limits kProtocolLimits{.checkpoint_seconds = 1, .max_deviation = 0.1, .min_seconds = 0.05};

// What exploring a model found; `fault` is empty where all is well.
struct Exploration {
  std::size_t states = 0;
  std::size_t ends = 0;
  Index most_refused = 0, most_silent = 0;
  std::string fault;
};

// Depth first over all choices; states that were seen are left out.
Exploration explore(const ProtocolModel& start) {
  Exploration seen;
  std::unordered_set<std::uint64_t> known{start.fingerprint()};
  std::vector<ProtocolModel> stack{start};
  while (!stack.empty() && seen.fault.empty()) {
    const ProtocolModel model = std::move(stack.back());
    stack.pop_back();
    ++seen.states;
    seen.fault = model.fault();
    seen.most_refused = std::max(seen.most_refused, model.refused());
    seen.most_silent = std::max(seen.most_silent, model.times_silent());
    const std::vector<Choice> choices = model.choices();
    if (model.ended()) {
      ++seen.ends;
      continue;
    }
    if (choices.empty()) {
      seen.fault = "nothing can happen any more and the end is not reached";
    }
    for (const Choice& choice : choices) {
      ProtocolModel next = model;
      next.take(choice);
      if (known.insert(next.fingerprint()).second) {
        stack.push_back(std::move(next));
      }
    }
  }
  return seen;
}

TEST(IterationsProtocol, TwoWorkersInAllOrders) {
  const Exploration seen = explore(ProtocolModel(kProtocolLimits, 3, {2}, {}));
  EXPECT_EQ(seen.fault, "");
  EXPECT_GT(seen.ends, 0U);
  RecordProperty("states", static_cast<int>(seen.states));
}

TEST(IterationsProtocol, AWorkerThatIsSilentAndComesBackInAllOrders) {
  const Exploration seen = explore(ProtocolModel(kProtocolLimits, kSanitized ? 1 : 2, {2}, {3.5}));
  EXPECT_EQ(seen.fault, "");
  EXPECT_GT(seen.ends, 0U);
  EXPECT_GT(seen.most_silent, 0);
  EXPECT_GT(seen.most_refused, 0);
  RecordProperty("states", static_cast<int>(seen.states));
}

TEST(IterationsProtocol, TwoGroupsOfOneInAllOrders) {
  const Exploration seen = explore(ProtocolModel(kProtocolLimits, 2, {1, 1}, {}));
  EXPECT_EQ(seen.fault, "");
  EXPECT_GT(seen.ends, 0U);
  RecordProperty("states", static_cast<int>(seen.states));
}

TEST(IterationsProtocol, AGroupThatIsSilentAndComesBackInAllOrders) {
  const Exploration seen = explore(ProtocolModel(kProtocolLimits, 1, {1, 1}, {3.5}));
  EXPECT_EQ(seen.fault, "");
  EXPECT_GT(seen.ends, 0U);
  EXPECT_GT(seen.most_silent, 0);
  EXPECT_GT(seen.most_refused, 0);
  RecordProperty("states", static_cast<int>(seen.states));
}

// A larger job in one random order: ranks of two levels, some of which do nothing for long.
void play(unsigned seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<double> advances(30, 0.3);
  advances[seed % 30] = 4;
  advances[(seed * 7) % 30] = 9;
  ProtocolModel model(kProtocolLimits, 40, {3, 2, 1}, advances);
  std::vector<Choice> choices = model.choices();
  for (int steps = 0; !model.ended(); ++steps) {
    ASSERT_FALSE(choices.empty()) << "nothing can happen any more";
    ASSERT_LT(steps, 20000) << "no end";
    // Time passes seldom.
    Choice choice = choices[random() % choices.size()];
    if (choice.what == Choice::What::advance && choices.size() > 1 && random() % 4 != 0) {
      choice = choices[random() % (choices.size() - 1)];
    }
    model.take(choice);
    ASSERT_EQ(model.fault(), "");
    choices = model.choices();
  }
}

TEST(IterationsProtocol, LargerJobsInRandomOrders) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    play(seed);
    if (HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace weft::iterations
