#include "iterations/ranges.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "iterations/message.hpp"

namespace weft::iterations {
namespace {

TEST(IterationsRanges, NeighboursJoinAndOverlapsAreRefused) {
  RangeSet set(10, 5);
  EXPECT_TRUE(set.add(Range{20, 5}));
  EXPECT_TRUE(set.add(Range{15, 5}));
  EXPECT_EQ(set.ranges(), (std::vector<Range>{{10, 15}}));
  EXPECT_FALSE(set.add(Range{24, 2}));
  EXPECT_FALSE(set.add(Range{9, 2}));
  EXPECT_FALSE(set.add(Range{5, 0}));
  EXPECT_FALSE(set.add(Range{-1, 1}));
  EXPECT_FALSE(set.add(Range{30, INT64_MAX}));
  EXPECT_EQ(set.count(), 15);
}

TEST(IterationsRanges, RemovesWhatIsThere) {
  RangeSet set(0, 10);
  EXPECT_TRUE(set.remove(Range{3, 4}));
  EXPECT_EQ(set.ranges(), (std::vector<Range>{{0, 3}, {7, 3}}));
  EXPECT_FALSE(set.remove(Range{2, 2}));
  EXPECT_FALSE(set.contains(Range{6, 2}));
  EXPECT_EQ(set.count(), 6);
  RangeSet partly(7, 1);
  partly.add(Range{4, 1});
  EXPECT_FALSE(set.remove(partly));
  EXPECT_EQ(set.count(), 6);
}

TEST(IterationsRanges, TakesFromBothEnds) {
  RangeSet set(0, 3);
  set.add(Range{10, 3});
  EXPECT_EQ(set.take_front(5), (Range{0, 3}));
  EXPECT_EQ(set.take_back(2).ranges(), (std::vector<Range>{{11, 2}}));
  EXPECT_EQ(set.take_back(5).count(), 1);
  EXPECT_EQ(set.take_front(1), Range{});
  EXPECT_TRUE(set.empty());
}

TEST(IterationsMessages, PackAndUnpack) {
  Message sent;
  sent.kind = MessageKind::finish;
  sent.epoch = 3;
  sent.serial = 9;
  sent.grants = 2;
  sent.elapsed = 0.25;
  sent.spread = -1.5;
  sent.batch = RangeSet(5, 2);
  sent.batch.add(Range{9, 1});
  sent.granted = RangeSet(100, 1);
  std::vector<std::int64_t> words = pack(sent);
  Message found;
  ASSERT_TRUE(unpack(words, found));
  EXPECT_EQ(pack(found), words);
  EXPECT_EQ(found.batch.ranges(), sent.batch.ranges());
  EXPECT_EQ(found.grants, 2);
  EXPECT_EQ(found.spread, -1.5);
  EXPECT_FALSE(unpack(std::span(words).first(words.size() - 1), found));
  words[0] = 77;
  EXPECT_FALSE(unpack(words, found));
}

}  // namespace
}  // namespace weft::iterations
