#include "runtime/sched/inbox.hpp"

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

struct Numbered : InboxItem {
  int producer = 0;
  int number = 0;
};

TEST(Inbox, KeepsTheOrderOfEachProducerWhileTheConsumerSleeps) {
  constexpr int kProducers = 3;
  constexpr int kItems = 20000;
  Inbox inbox;
  const SleepingRanks nobody;
  std::array<std::vector<Numbered>, kProducers> items;
  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p) {
    items[static_cast<std::size_t>(p)].resize(kItems);
    producers.emplace_back([&, p] {
      for (int i = 0; i < kItems; ++i) {
        Numbered& item = items[static_cast<std::size_t>(p)][static_cast<std::size_t>(i)];
        item.producer = p;
        item.number = i;
        inbox.push(item);
      }
    });
  }
  std::array<int, kProducers> next{};
  for (int seen = 0; seen < kProducers * kItems;) {
    InboxItem* item = inbox.take_all();
    if (item == nullptr) {
      inbox.sleep(nobody);
    }
    for (; item != nullptr; item = item->next, ++seen) {
      const auto& numbered = static_cast<const Numbered&>(*item);
      ASSERT_EQ(numbered.number, next[static_cast<std::size_t>(numbered.producer)]++);
    }
  }
  for (std::thread& producer : producers) {
    producer.join();
  }
  EXPECT_TRUE(inbox.empty());
}

struct alignas(InboxItem::kLine) Line : InboxItem {};

TEST(PrefetchHints, TellsWhereTheItemLiesThatCameSomePlacesBefore) {
  std::array<Line, 12> items;
  PrefetchHints hints;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Line& item = items[i * 5 % items.size()];
    hints.add(item);
    const void* const further =
        i < PrefetchHints::kDistance ? &item : &items[(i - PrefetchHints::kDistance) * 5 % items.size()];
    EXPECT_EQ(item.prefetch_target(), further) << i;
  }
}

TEST(PrefetchHints, TellsNothingOfWhatLiesTooFarAway) {
  constexpr std::size_t kTooFar = std::size_t{1} << 38;  // more than 2^31 lines
  void* const memory =
      ::mmap(nullptr, kTooFar, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    GTEST_SKIP() << "no addresses";
  }
  const auto item_at = [&](std::size_t byte) -> Line& { return *new (static_cast<std::byte*>(memory) + byte) Line; };
  PrefetchHints hints;
  for (std::uint32_t i = 0; i < PrefetchHints::kDistance; ++i) {
    hints.add(item_at(std::size_t{4096} * i));
  }
  Line& far = item_at(kTooFar - 4096);
  hints.add(far);
  EXPECT_EQ(far.prefetch_target(), &far);
  ::munmap(memory, kTooFar);
}

}  // namespace
}  // namespace weft::runtime
