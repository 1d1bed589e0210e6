#include "runtime/p2p/envelope_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace weft::runtime {
namespace {

class EnvelopePoolTest : public testing::Test {
 protected:
  // A message from `home`'s worker to the other.
  Envelope& from(EnvelopePool& home, EnvelopePool& there, std::size_t bytes = 8) {
    Envelope& envelope = home.take(bytes);
    there.give(envelope, home);
    return envelope;
  }

  EnvelopePool here_{0, 2};
  EnvelopePool there_{1, 2};
};

TEST_F(EnvelopePoolTest, TheAnswerTravelsInTheEnvelopeOfTheQuestion) {
  Envelope& question = from(here_, there_);
  Envelope& answer = there_.take(8);
  EXPECT_EQ(&answer, &question);
  EXPECT_EQ(answer.home, 0U);
  here_.give(answer, here_);
  EXPECT_EQ(&here_.take(8), &question);
  here_.give(question, here_);
}

TEST_F(EnvelopePoolTest, ALongAnswerDoesNotTravelInAShortEnvelope) {
  const Envelope& question = from(here_, there_);
  Envelope& answer = there_.take(1000);
  EXPECT_NE(&answer, &question);
  EXPECT_EQ(answer.home, 1U);
  there_.give(answer, there_);
}

TEST_F(EnvelopePoolTest, AStreamInOneDirectionNeedsFewEnvelopes) {
  std::set<const Envelope*> used;
  for (int i = 0; i < 1000; ++i) {
    used.insert(&from(here_, there_));
  }
  EXPECT_LT(used.size(), 100U);
}

TEST_F(EnvelopePoolTest, AShortMessageIsInOneCacheLine) {
  Envelope& envelope = here_.take(Envelope::kShort);
  envelope.payload_bytes = Envelope::kShort;
  const auto line = reinterpret_cast<std::uintptr_t>(&envelope) / InboxItem::kLine;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&envelope) % InboxItem::kLine, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(envelope.payload() + Envelope::kShort - 1) / InboxItem::kLine, line);
  here_.give(envelope, here_);
}

TEST_F(EnvelopePoolTest, ALongerPayloadBeginsACacheLine) {
  for (const std::uint32_t bytes : {9U, 64U, 1000U, 100'000U}) {
    Envelope& envelope = here_.take(bytes);
    envelope.payload_bytes = bytes;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(envelope.payload()) % InboxItem::kLine, 0U) << bytes;
    here_.give(envelope, here_);
  }
}

// Whoever takes one of a batch that came home has the next ones fetched.
TEST_F(EnvelopePoolTest, EnvelopesThatComeHomeTellOfFurtherOnes) {
  std::vector<Envelope*> sent(40);
  for (Envelope*& envelope : sent) {
    envelope = &here_.take(8);
  }
  for (Envelope* envelope : sent) {
    there_.give(*envelope, here_);
  }
  std::vector<Envelope*> back;
  std::vector<void*> further;
  for (int i = 0; i < 32; ++i) {
    back.push_back(&here_.take(8));
    further.push_back(back.back()->further());
  }
  for (std::size_t i = 0; i + PrefetchHints::kFurther < back.size(); ++i) {
    EXPECT_EQ(further[i], back[i + PrefetchHints::kFurther]) << i;
  }
  for (Envelope* envelope : back) {
    here_.give(*envelope, here_);
  }
}

}  // namespace
}  // namespace weft::runtime
