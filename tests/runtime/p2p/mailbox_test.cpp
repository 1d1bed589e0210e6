#include "runtime/p2p/mailbox.hpp"

#include <deque>
#include <list>
#include <random>

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

Request receive(MatchKey pattern) {
  Request request;
  request.key = pattern;
  return request;
}

TEST(Mailbox, GivesAMessageToTheOldestReceiveThatTakesIt) {
  Mailbox mailbox;
  Request any_tag = receive({1, 3, kAnyTag});
  Request exact = receive({1, 3, 7});
  Request any_source = receive({1, kAnySource, 7});
  Request other_context = receive({2, kAnySource, kAnyTag});
  for (Request* r : {&other_context, &any_tag, &exact, &any_source}) {
    mailbox.post(*r);
  }
  EXPECT_EQ(mailbox.take_receive({1, 3, 7}), &any_tag);
  EXPECT_EQ(mailbox.take_receive({1, 3, 7}), &exact);
  EXPECT_EQ(mailbox.take_receive({1, 3, 7}), &any_source);
  EXPECT_EQ(mailbox.take_receive({1, 3, 7}), nullptr);
  mailbox.withdraw(other_context);
  EXPECT_EQ(mailbox.posted(), 0U);
}

// MPI's matching rule as two lists that are searched from the front.
class NaiveMailbox {
 public:
  Request* take_receive(const MatchKey& key) {
    for (auto it = posted.begin(); it != posted.end(); ++it) {
      if (matches((*it)->key, key)) {
        Request* const found = *it;
        posted.erase(it);
        return found;
      }
    }
    return nullptr;
  }
  Envelope* take(const MatchKey& pattern) {
    for (auto it = unexpected.begin(); it != unexpected.end(); ++it) {
      if (matches(pattern, (*it)->key)) {
        Envelope* const found = *it;
        unexpected.erase(it);
        return found;
      }
    }
    return nullptr;
  }
  std::list<Request*> posted;
  std::list<Envelope*> unexpected;
};

TEST(Mailbox, AgreesWithTwoListsOnRandomSchedules) {
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    Mailbox mailbox;
    NaiveMailbox naive;
    std::deque<Request> requests;
    std::deque<Envelope> envelopes;
    for (int step = 0; step < 20000; ++step) {
      if (pick(2) == 0) {
        const MatchKey key{static_cast<std::uint32_t>(pick(2)), pick(5), pick(5)};
        Request* const expected = naive.take_receive(key);
        ASSERT_EQ(mailbox.take_receive(key), expected);
        if (expected == nullptr) {
          envelopes.emplace_back().key = key;
          mailbox.add(envelopes.back());
          naive.unexpected.push_back(&envelopes.back());
        }
      } else {
        const MatchKey pattern{static_cast<std::uint32_t>(pick(2)), pick(6) - 1, pick(3) == 0 ? kAnyTag : pick(5)};
        Envelope* const expected = naive.take(pattern);
        ASSERT_EQ(mailbox.find(pattern), expected);
        if (expected != nullptr) {
          mailbox.remove(*expected);
        } else {
          requests.push_back(receive(pattern));
          mailbox.post(requests.back());
          naive.posted.push_back(&requests.back());
        }
      }
    }
    EXPECT_EQ(mailbox.unexpected(), naive.unexpected.size());
    EXPECT_EQ(mailbox.posted(), naive.posted.size());
  }
}

}  // namespace
}  // namespace weft::runtime
