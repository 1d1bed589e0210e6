#include "iterations/claims.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::iterations {
namespace {

TEST(Claims, ComeBackAsTheyWere) {
  Claim claim{RangeSet(0, 3), RangeSet(7, 2), RangeSet(20, 1)};
  claim.credited.add(Range{5, 1});
  Claim back{RangeSet(1, 1), {}, {}};
  ASSERT_TRUE(unpack(pack(claim), back));
  EXPECT_EQ(back.credited.ranges(), claim.credited.ranges());
  EXPECT_EQ(back.batch.ranges(), claim.batch.ranges());
  EXPECT_EQ(back.open.ranges(), claim.open.ranges());
  std::vector<std::int64_t> words = pack(claim);
  words.pop_back();
  EXPECT_FALSE(unpack(words, back));
  EXPECT_FALSE(unpack({}, back));
}

// Rank 1 was silent: rank 2 has done its 10 ... 14 too.
TEST(Claims, EachIndexCountsOnce) {
  const std::vector<Claim> claims{{RangeSet(0, 10), RangeSet(20, 5), RangeSet(40, 2)},
                                  {RangeSet(), RangeSet(10, 5), RangeSet(30, 4)},
                                  {RangeSet(10, 5), RangeSet(15, 5), RangeSet(33, 2)}};
  const Verdict verdict = decide(claims);
  EXPECT_EQ(verdict.batch_counts, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(verdict.open_counts, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(verdict.done.ranges(), (std::vector<Range>{{0, 25}, {30, 4}, {40, 2}}));
}

TEST(Claims, OfNobodyAreEmpty) {
  const std::vector<Claim> claims(2);
  const Verdict verdict = decide(claims);
  EXPECT_TRUE(verdict.done.empty());
  EXPECT_EQ(verdict.batch_counts, (std::vector<bool>{true, true}));
}

}  // namespace
}  // namespace weft::iterations
