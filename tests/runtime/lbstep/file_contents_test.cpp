// Where ranks lie in a file of an image, and what of them need not be written again.
#include "runtime/lbstep/file_contents.hpp"

#include <gtest/gtest.h>

#include "base/page_map.hpp"

namespace weft::runtime {
namespace {

constexpr std::uint64_t kPage = base::kPageBytes;

// As if all of it had been written there.
void fill(RankArea& area, AddressRange addresses, std::uint64_t offset) {
  WrittenRange range{.addresses = addresses, .offset = offset, .sums = {}};
  const std::uint64_t first = addresses.begin / kPage;
  for (std::uint64_t page = first; page * kPage < addresses.end; ++page) {
    range.sums.push_back(static_cast<std::uint32_t>(page));
  }
  area.ranges.push_back(range);
  area.changed.clear();
}

TEST(FileContents, KeepsPlacesOfRanksThatFit) {
  FileContents contents(true);
  contents.begin(0);
  const std::uint64_t first = contents.place(7, 100 * kPage).offset;
  const std::uint64_t second = contents.place(3, 5000).offset;
  EXPECT_NE(first, second);
  const std::uint64_t end = contents.areas_end();
  contents.end(end + 10);
  contents.begin(end + 10);
  EXPECT_EQ(contents.place(3, 5100).offset, second);
  EXPECT_EQ(contents.place(7, 105 * kPage).offset, first) << "there is room to grow";
  EXPECT_EQ(contents.areas_end(), end);
  EXPECT_GE(contents.place(7, 200 * kPage).offset, end) << "and no more";
}

TEST(FileContents, GivesTheRoomOfOthersAway) {
  FileContents contents(false);
  contents.begin(0);
  contents.place(0, kPage);
  contents.place(1, 2 * kPage);
  contents.place(2, 4 * kPage);
  contents.end(7 * kPage);
  contents.begin(7 * kPage);
  contents.place(0, kPage);
  contents.place(2, 4 * kPage);
  contents.end(7 * kPage);
  contents.begin(7 * kPage);
  EXPECT_EQ(contents.place(5, kPage).offset, kPage) << "where rank 1 was";
  EXPECT_EQ(contents.place(6, kPage).offset, 2 * kPage);
  EXPECT_EQ(contents.place(8, kPage).offset, 7 * kPage);
}

TEST(FileContents, BeginsAnewWhereMostIsFree) {
  FileContents contents(false);
  contents.begin(0);
  contents.place(0, 10 * kPage);
  contents.place(1, kPage);
  contents.end(11 * kPage);
  contents.begin(11 * kPage);
  EXPECT_EQ(contents.place(1, kPage).offset, 10 * kPage);
  contents.end(11 * kPage);
  contents.begin(11 * kPage);
  EXPECT_EQ(contents.place(1, kPage).offset, 0U);
}

class Sums : public testing::Test {
 protected:
  // Rank 0 with pages 10 to 19 but for the first and last 100 bytes; written.
  Sums() {
    contents_.begin(0);
    fill(contents_.place(0, 10 * kPage), range_, 100);
    contents_.end(10 * kPage);
  }
  // Of a page of it now; null: to be written.
  const std::uint32_t* find(std::uint64_t page, std::uint64_t offset = 100) {
    UnchangedSums sums(area(), range_, offset);
    return sums.find({std::max(page * kPage, range_.begin), std::min((page + 1) * kPage, range_.end)});
  }
  RankArea& area() { return contents_.place(0, 10 * kPage); }

  const AddressRange range_{10 * kPage + 100, 20 * kPage - 100};
  FileContents contents_{true};
};

TEST_F(Sums, AreThoseOfUnchangedPages) {
  contents_.begin(10 * kPage);
  contents_.note_changed(0, {{12 * kPage, 14 * kPage}});
  contents_.note_changed(0, {{17 * kPage, 18 * kPage}});
  for (std::uint64_t page = 10; page < 20; ++page) {
    const bool is_changed = page == 12 || page == 13 || page == 17;
    const std::uint32_t* const sum = find(page);
    ASSERT_EQ(sum == nullptr, is_changed) << page;
    EXPECT_TRUE(is_changed || *sum == page);
  }
}

TEST_F(Sums, AreNotThereAtAnotherPlace) {
  contents_.begin(10 * kPage);
  EXPECT_EQ(find(15, 164), nullptr);
}

TEST_F(Sums, AreNotThoseOfOtherPartsOfAPage) {
  contents_.begin(10 * kPage);
  UnchangedSums sums(area(), {10 * kPage, 21 * kPage}, 0);
  EXPECT_EQ(sums.find({10 * kPage, 11 * kPage}), nullptr) << "it begins earlier";
  EXPECT_NE(sums.find({11 * kPage, 12 * kPage}), nullptr);
  EXPECT_EQ(sums.find({19 * kPage, 20 * kPage}), nullptr) << "it ends later";
  EXPECT_EQ(sums.find({20 * kPage, 21 * kPage}), nullptr) << "it is new";
}

TEST_F(Sums, AreNotThereOnceTheFileIsEmptied) {
  contents_.begin(0);
  EXPECT_EQ(find(15), nullptr);
}

TEST_F(Sums, AreNotThereAfterAnImageThatCameToNothing) {
  contents_.begin(10 * kPage);
  contents_.begin(10 * kPage);
  EXPECT_EQ(find(15), nullptr);
}

TEST_F(Sums, AreNotThereOfRanksThatHaveLeft) {
  contents_.forget(0);
  contents_.begin(10 * kPage);
  EXPECT_EQ(find(15), nullptr);
}

}  // namespace
}  // namespace weft::runtime
