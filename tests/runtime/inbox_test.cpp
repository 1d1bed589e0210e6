#include "runtime/worker/inbox.hpp"

#include <array>
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
      inbox.sleep();
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

}  // namespace
}  // namespace weft::runtime
