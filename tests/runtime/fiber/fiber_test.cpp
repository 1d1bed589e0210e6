#include "runtime/fiber/fiber.hpp"

#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

constexpr std::size_t kStack = std::size_t{128} << 10;

std::vector<int> order;
bool caught;

TEST(Fiber, SwitchesDirectlyBetweenTwoStacks) {
  order.clear();
  static Fiber home;
  static Fiber first;
  static Fiber second;
  std::vector<std::byte> stacks(2 * kStack);
  first.prepare({stacks.data(), kStack}, [](Fiber& self, Fiber&) {
    order.push_back(1);
    Fiber& from = self.switch_to(second);
    EXPECT_EQ(&from, &second);
    order.push_back(3);
    self.switch_to(home, true);
  });
  second.prepare({stacks.data() + kStack, kStack}, [](Fiber& self, Fiber& from) {
    EXPECT_EQ(&from, &first);
    order.push_back(2);
    self.switch_to(first, true);
  });
  EXPECT_EQ(&home.switch_to(first), &first);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

// The linker's: where this program begins and its code ends.
extern "C" const char __executable_start;  // NOLINT(readability-identifier-naming)
extern "C" const char etext;

TEST(Fiber, TheAddressAtWhichASuspendedFibreGoesOnLiesBehindItsRegisters) {
  static Fiber home;
  static Fiber fiber;
  std::vector<std::byte> stack(kStack);
  fiber.prepare(stack, [](Fiber& self, Fiber& from) {
    self.switch_to(from);
    self.switch_to(home, true);
  });
  home.switch_to(fiber);
  const char* goes_on_at = nullptr;
  ASSERT_NE(Fiber::saved_registers(), 0U);
  const auto* const registers = static_cast<const std::byte*>(*fiber.saved_context()) + Fiber::saved_registers();
  std::memcpy(&goes_on_at, registers + 6 * sizeof(void*), sizeof goes_on_at);
  EXPECT_GE(goes_on_at, &__executable_start);
  EXPECT_LT(goes_on_at, &etext);
  home.switch_to(fiber);
}

TEST(Fiber, WakesOnAnotherThreadInsideACatchBlock) {
  static Fiber home;
  static Fiber other_home;
  static Fiber fiber;
  static Fiber* back;
  caught = false;
  std::vector<std::byte> stack(kStack);
  fiber.prepare(stack, [](Fiber& self, Fiber& from) {
    back = &from;
    try {
      throw std::runtime_error("kept over the switch");
    } catch (const std::runtime_error& error) {
      back = &self.switch_to(*back);
      caught = std::string(error.what()) == "kept over the switch";
    }
    self.switch_to(*back, true);
  });
  home.switch_to(fiber);
  std::thread([] { other_home.switch_to(fiber); }).join();
  EXPECT_TRUE(caught);
}

}  // namespace
}  // namespace weft::runtime
