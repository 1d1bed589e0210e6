// Which files of images go to a disk, and when: nothing is written here.
#include "runtime/bootstrap/image_saves.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace weft::bootstrap {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const CheckpointPlace kFirst{.folder = "/saved", .step = 10};
const CheckpointPlace kSecond{.folder = "/saved", .step = 20};
const CheckpointPlace kThird{.folder = "/saved", .step = 30};

ImageCopies::Copy on_host(std::uint32_t host, std::uint32_t image, std::vector<std::uint32_t> files,
                          const CheckpointPlace& to) {
  return {.from = host, .order = {.image = image, .files = std::move(files), .disk = to}};
}

// Does all that there is to do.
void finish_first(ImageSaves& saves) {
  for (int phase = 0; phase < 2; ++phase) {
    for (const auto& copy : saves.orders()) {
      EXPECT_THAT(saves.note(copy.order, true), IsEmpty());
    }
  }
}

TEST(ImageSaves, HaveEachHostWriteItsFilesAndTheIndexLast) {
  ImageSaves saves;
  saves.add(1, kFirst, {3, 0, 3});
  const auto files = saves.orders();
  EXPECT_THAT(files, ElementsAre(on_host(0, 1, {2}, kFirst), on_host(3, 1, {1, 3}, kFirst)));
  EXPECT_THAT(saves.orders(), IsEmpty());  // once
  saves.note(files[0].order, true);
  EXPECT_THAT(saves.orders(), IsEmpty());
  saves.note(files[1].order, true);
  const auto index = saves.orders();
  EXPECT_THAT(index, ElementsAre(on_host(3, 1, {0}, kFirst)));
  EXPECT_FALSE(saves.last().has_value());
  EXPECT_TRUE(saves.is_saving(1));
  EXPECT_FALSE(saves.is_saving(0));
  EXPECT_THAT(saves.note(index[0].order, true), IsEmpty());
  EXPECT_EQ(saves.last(), kFirst);
  EXPECT_TRUE(saves.is_idle());
}

TEST(ImageSaves, ComeOneAfterTheOtherAndTheLastOfThoseThatWaitCounts) {
  ImageSaves saves;
  saves.add(0, kFirst, {0});
  const auto first = saves.orders();
  saves.add(1, kSecond, {0});
  EXPECT_THAT(saves.orders(), IsEmpty());
  EXPECT_TRUE(saves.is_saving(1));
  saves.add(1, kThird, {0});
  saves.note(first[0].order, true);
  saves.note(saves.orders().at(0).order, true);
  EXPECT_EQ(saves.last(), kFirst);
  EXPECT_THAT(saves.orders(), ElementsAre(on_host(0, 1, {1}, kThird)));
}

TEST(ImageSaves, ComeToNothingWhereAPartFailsOnceAllPartsAreOver) {
  ImageSaves saves;
  saves.add(0, kFirst, {0, 1});
  const auto files = saves.orders();
  EXPECT_THAT(saves.note(files[0].order, false), IsEmpty());
  EXPECT_TRUE(saves.is_saving(0));  // host 1 still reads it
  EXPECT_THAT(saves.note(files[1].order, true), ElementsAre(kFirst));
  EXPECT_TRUE(saves.is_idle());
  EXPECT_FALSE(saves.last().has_value());
}

TEST(ImageSaves, ComeToNothingWhereTheIndexFails) {
  ImageSaves saves;
  saves.add(0, kFirst, {0});
  saves.note(saves.orders().at(0).order, true);
  EXPECT_THAT(saves.note(saves.orders().at(0).order, false), ElementsAre(kFirst));
  EXPECT_FALSE(saves.last().has_value());
}

TEST(ImageSaves, ComeToNothingWithAHostThatHasFilesOfThem) {
  ImageSaves saves;
  saves.add(0, kFirst, {0, 1});
  const auto files = saves.orders();
  saves.add(1, kSecond, {0, 0});
  EXPECT_THAT(saves.lose_host(1), IsEmpty());  // host 0 still writes
  EXPECT_THAT(saves.note(files[0].order, true), ElementsAre(kFirst));
  finish_first(saves);
  EXPECT_EQ(saves.last(), kSecond);
}

TEST(ImageSaves, NeedTheHostThatWritesTheIndexAloneInTheEnd) {
  for (const std::uint32_t lost : {0U, 1U}) {
    ImageSaves saves;
    saves.add(0, kFirst, {0, 1});
    for (const auto& copy : saves.orders()) {
      saves.note(copy.order, true);
    }
    const auto index = saves.orders();
    if (lost == 0) {
      EXPECT_THAT(saves.lose_host(lost), ElementsAre(kFirst));
    } else {
      EXPECT_THAT(saves.lose_host(lost), IsEmpty());
      EXPECT_THAT(saves.note(index.at(0).order, true), IsEmpty());
      EXPECT_EQ(saves.last(), kFirst);
    }
  }
}

TEST(ImageSaves, DoNotNeedAHostThatIsLostLater) {
  ImageSaves saves;
  saves.add(0, kFirst, {0, 1});
  finish_first(saves);
  EXPECT_THAT(saves.lose_host(1), IsEmpty());
  EXPECT_EQ(saves.last(), kFirst);
}

TEST(ImageSaves, HearNothingOfOrdersThatAreNotTheirs) {
  ImageSaves saves;
  EXPECT_THAT(saves.note({.image = 0, .files = {1}, .disk = kFirst}, false), IsEmpty());
  saves.add(0, kSecond, {0});
  saves.orders();
  EXPECT_THAT(saves.note({.image = 0, .files = {1}, .disk = kFirst}, false), IsEmpty());
  EXPECT_TRUE(saves.is_saving(0));
}

}  // namespace
}  // namespace weft::bootstrap
