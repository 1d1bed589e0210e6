// Where ranks are in an image file, and what of them need not be written again.
#include "runtime/lbstep/file_contents.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/pages.hpp"

namespace weft::runtime {
namespace {

constexpr std::uint64_t kPage = base::kPageBytes;

// Records all of `addresses` as written at `offset`.
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

// Writes an image in which each rank has this many pages.
void write_image(FileContents& contents, const std::map<std::uint32_t, std::uint64_t>& pages) {
  contents.begin(contents.areas_end() + 1);
  for (const auto& [rank, its] : pages) {
    contents.place(rank, its * kPage);
  }
  contents.end(contents.areas_end() + 1);
}

TEST(FileContents, GivesTheRoomOfOthersAway) {
  FileContents contents(false);
  write_image(contents, {{0, 4}, {1, 1}, {2, 2}, {3, 8}});
  write_image(contents, {{0, 4}, {3, 8}});
  contents.begin(contents.areas_end() + 1);
  contents.place(0, 4 * kPage);
  contents.place(3, 8 * kPage);
  EXPECT_EQ(contents.place(5, 2 * kPage).offset, 4 * kPage) << "where ranks 1 and 2 were";
  EXPECT_EQ(contents.place(6, kPage).offset, 6 * kPage);
  EXPECT_EQ(contents.place(7, kPage).offset, 15 * kPage);
}

TEST(FileContents, EndsWhereTheLastRankEnds) {
  FileContents contents(false);
  write_image(contents, {{0, 4}, {1, 1}, {2, 2}});
  write_image(contents, {{0, 4}});
  EXPECT_EQ(contents.areas_end(), 4 * kPage);
  write_image(contents, {{0, 1}});
  EXPECT_EQ(contents.areas_end(), kPage) << "a rank that has become much smaller";
}

TEST(FileContents, BeginsAnewWhereMuchIsFree) {
  FileContents contents(false);
  write_image(contents, {{0, 10}, {1, 1}});
  write_image(contents, {{1, 1}});
  EXPECT_EQ(contents.areas_end(), 11 * kPage);
  write_image(contents, {{1, 1}});
  EXPECT_EQ(contents.areas_end(), kPage);
}

TEST(FileContents, StaysShortWhileRanksGrow) {
  FileContents contents(true);
  for (std::uint64_t image = 0; image < 60; ++image) {
    std::map<std::uint32_t, std::uint64_t> pages;
    for (std::uint32_t rank = 0; rank < 64; ++rank) {
      pages[rank] = 100 + image;
    }
    write_image(contents, pages);
    EXPECT_LT(contents.areas_end(), (64 * (100 + image) * kPage) * 4 / 3) << image;
  }
}

class Sums : public testing::Test {
 protected:
  // An image is written in which rank 0 has pages 10 to 19, without the first and last 100 bytes.
  Sums() {
    contents_.begin(0);
    fill(contents_.place(0, 10 * kPage), range_, 100);
    contents_.end(10 * kPage);
  }
  // The checksums of a page if it is unchanged; null: the page must be written.
  const std::uint32_t* find(std::uint64_t page, std::uint64_t offset = 100) {
    const AddressRange part{std::max(page * kPage, range_.begin), std::min((page + 1) * kPage, range_.end)};
    return UnchangedSums(area()).find(part, offset + part.begin - range_.begin);
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
  UnchangedSums sums(area());
  const auto find_page = [&](std::uint64_t page) {
    return sums.find({page * kPage, (page + 1) * kPage}, (page - 10) * kPage);
  };
  EXPECT_EQ(find_page(10), nullptr) << "it begins earlier";
  EXPECT_NE(find_page(11), nullptr);
  EXPECT_EQ(find_page(19), nullptr) << "it ends later";
  EXPECT_EQ(find_page(20), nullptr) << "it is new";
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
