// Loops are found in what a rank has done, and nothing else changes.
#include "sim/loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace weft::sim::test {
namespace {

// Calls by number: a computing and a wait for a slot that says which call it is.
std::vector<Action> calls(const std::vector<std::uint16_t>& numbers) {
  std::vector<Action> actions;
  for (const std::uint16_t number : numbers) {
    actions.push_back({.kind = ActionKind::compute, .detail = 1});
    actions.push_back({.kind = ActionKind::wait, .request = number, .index = 1});
  }
  return actions;
}

// Writes loops out, one level after the other.
std::vector<Action> unfolded(std::vector<Action> actions) {
  const auto is_loop = [](const Action& action) { return action.kind == ActionKind::loop; };
  while (std::ranges::any_of(actions, is_loop)) {
    std::vector<Action> next;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (!is_loop(actions[i]) || actions[i].request != 0) {
        next.push_back(actions[i]);
        continue;
      }
      std::size_t end = i + 1;
      while (actions[end].kind != ActionKind::end_loop || actions[end].request != 0) {
        ++end;
      }
      for (std::uint64_t n = 0; n < actions[i].value; ++n) {
        for (std::size_t inner = i + 1; inner < end; ++inner) {
          next.push_back(actions[inner]);
          const bool bounds = is_loop(actions[inner]) || actions[inner].kind == ActionKind::end_loop;
          next.back().request = static_cast<std::uint16_t>(next.back().request - (bounds ? 1 : 0));
        }
      }
      i = end;
    }
    actions = std::move(next);
  }
  return actions;
}

TEST(Loops, NothingRepeatsStaysAsItIs) {
  const std::vector<Action> actions = calls({1, 2, 3, 4, 2, 1});
  EXPECT_EQ(fold_loops(actions), actions);
  EXPECT_TRUE(fold_loops({}).empty());
}

TEST(Loops, IterationsBecomeOneLoop) {
  std::vector<std::uint16_t> numbers{7};
  for (int i = 0; i < 1000; ++i) {
    numbers.insert(numbers.end(), {1, 2, 3});
  }
  numbers.push_back(8);
  const std::vector<Action> actions = calls(numbers);
  const std::vector<Action> folded = fold_loops(actions);
  EXPECT_EQ(folded.size(), 2U + 2 + 6 + 2);
  EXPECT_EQ(folded[2], (Action{.kind = ActionKind::loop, .value = 1000}));
  EXPECT_EQ(folded[9], (Action{.kind = ActionKind::end_loop, .index = 3}));
  EXPECT_EQ(unfolded(folded), actions);
}

TEST(Loops, AreFoundWithinLoops) {
  std::vector<std::uint16_t> numbers;
  for (int outer = 0; outer < 15; ++outer) {
    numbers.push_back(9);
    for (int inner = 0; inner < 25; ++inner) {
      numbers.insert(numbers.end(), {1, 2, 2, 2, 1});
    }
  }
  const std::vector<Action> actions = calls(numbers);
  const std::vector<Action> folded = fold_loops(actions);
  EXPECT_LT(folded.size(), 40U);
  EXPECT_EQ(unfolded(folded), actions);
}

TEST(Loops, NestAtMostFourDeep) {
  std::vector<std::uint16_t> numbers{1};
  for (std::uint16_t level = 2; level < 9; ++level) {
    std::vector<std::uint16_t> twice = numbers;
    twice.push_back(level);
    twice.insert(twice.end(), numbers.begin(), numbers.end());
    twice.push_back(level);
    numbers = twice;
  }
  const std::vector<Action> actions = calls(numbers);
  const std::vector<Action> folded = fold_loops(actions);
  EXPECT_LT(folded.size(), actions.size());
  for (const Action& action : folded) {
    EXPECT_TRUE(action.kind != ActionKind::loop || action.request < kMostLevels);
  }
  EXPECT_EQ(unfolded(folded), actions);
}

TEST(Loops, AnyOrderIsKept) {
  std::mt19937 random(17);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint16_t> numbers(random() % 200 + 1);
    const auto kinds = static_cast<unsigned>(random() % 3) + 1;
    for (std::uint16_t& number : numbers) {
      number = static_cast<std::uint16_t>(random() % kinds);
    }
    const std::vector<Action> actions = calls(numbers);
    EXPECT_EQ(unfolded(fold_loops(actions)), actions) << "round " << round;
  }
}

}  // namespace
}  // namespace weft::sim::test
