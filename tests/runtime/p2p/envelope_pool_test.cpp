#include "runtime/p2p/envelope_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace weft::runtime {
namespace {

class EnvelopePoolTest : public testing::Test {
 protected:
  // Sends a message from the worker of `home` to that of `there`.
  Envelope& from(EnvelopePool& home, EnvelopePool& there, std::size_t bytes = 8) {
    Envelope& envelope = home.allocate(bytes);
    there.release(envelope, home);
    return envelope;
  }

  EnvelopePool here_{0, 2};
  EnvelopePool there_{1, 2};
};

TEST_F(EnvelopePoolTest, TheAnswerTravelsInTheEnvelopeOfTheQuestion) {
  Envelope& question = from(here_, there_);
  Envelope& answer = there_.allocate(8);
  EXPECT_EQ(&answer, &question);
  EXPECT_EQ(answer.home, 0U);
  here_.release(answer, here_);
  EXPECT_EQ(&here_.allocate(8), &question);
  here_.release(question, here_);
}

TEST_F(EnvelopePoolTest, ALongAnswerDoesNotTravelInAShortEnvelope) {
  const Envelope& question = from(here_, there_);
  Envelope& answer = there_.allocate(1000);
  EXPECT_NE(&answer, &question);
  EXPECT_EQ(answer.home, 1U);
  there_.release(answer, there_);
}

TEST_F(EnvelopePoolTest, AStreamInOneDirectionNeedsFewEnvelopes) {
  std::set<const Envelope*> used;
  for (int i = 0; i < 1000; ++i) {
    used.insert(&from(here_, there_));
  }
  EXPECT_LT(used.size(), 100U);
}

TEST_F(EnvelopePoolTest, AShortMessageIsInOneCacheLine) {
  Envelope& envelope = here_.allocate(Envelope::kShort);
  envelope.payload_bytes = Envelope::kShort;
  const auto line = reinterpret_cast<std::uintptr_t>(&envelope) / InboxItem::kLine;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&envelope) % InboxItem::kLine, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(envelope.payload() + Envelope::kShort - 1) / InboxItem::kLine, line);
  here_.release(envelope, here_);
}

TEST_F(EnvelopePoolTest, ALongerPayloadBeginsACacheLine) {
  for (const std::uint32_t bytes : {9U, 64U, 1000U, 100'000U}) {
    Envelope& envelope = here_.allocate(bytes);
    envelope.payload_bytes = bytes;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(envelope.payload()) % InboxItem::kLine, 0U) << bytes;
    here_.release(envelope, here_);
  }
}

// Taking an envelope of a returned batch prefetches later ones of it.
TEST_F(EnvelopePoolTest, EnvelopesThatComeHomeTellOfFurtherOnes) {
  std::vector<Envelope*> sent(40);
  for (Envelope*& envelope : sent) {
    envelope = &here_.allocate(8);
  }
  for (Envelope* envelope : sent) {
    there_.release(*envelope, here_);
  }
  std::vector<Envelope*> back;
  std::vector<void*> further;
  for (int i = 0; i < 32; ++i) {
    back.push_back(&here_.allocate(8));
    further.push_back(back.back()->prefetch_target());
  }
  for (std::size_t i = 0; i + PrefetchHints::kDistance < back.size(); ++i) {
    EXPECT_EQ(further[i], back[i + PrefetchHints::kDistance]) << i;
  }
  for (Envelope* envelope : back) {
    here_.release(*envelope, here_);
  }
}

}  // namespace
}  // namespace weft::runtime
