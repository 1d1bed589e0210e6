// Which files of images are saved to disk, and when. Nothing is written here.
#include "runtime/bootstrap/image_saves.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace weft::bootstrap {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const CheckpointTarget kFirst{.folder = "/saved", .step = 10};
const CheckpointTarget kSecond{.folder = "/saved", .step = 20};

ImageCopies::Copy on_host(std::uint32_t host, std::uint32_t image, std::vector<std::uint32_t> files,
                          const CheckpointTarget& to) {
  return {.from = host, .order = {.image = image, .files = std::move(files), .disk = to}};
}

ImageCopies::Copy by_launcher(DiskWork work, std::uint32_t image, const CheckpointTarget& to) {
  return {.from = 0, .order = {.image = image, .files = {}, .disk = to, .work = work}};
}

// Reports the current order, which is for the launcher's host, as done or failed.
void follow_one(ImageSaves& saves, bool is_whole = true) { saves.note(saves.orders().at(0).order, is_whole); }

// Completes all orders of the first save.
void finish_first(ImageSaves& saves) {
  for (int phase = 0; phase < 3; ++phase) {
    for (const auto& copy : saves.orders()) {
      EXPECT_THAT(saves.note(copy.order, true), IsEmpty());
    }
  }
}

TEST(ImageSaves, HaveEachHostWriteItsFilesAndTheLauncherNameTheCheckpoint) {
  ImageSaves saves;
  saves.add(1, kFirst, {3, 0, 3});
  const auto folder = saves.orders();
  EXPECT_THAT(folder, ElementsAre(by_launcher(DiskWork::folder, 1, kFirst)));
  saves.note(folder[0].order, true);
  const auto files = saves.orders();
  EXPECT_THAT(files, ElementsAre(on_host(0, 1, {2}, kFirst), on_host(3, 1, {0, 1, 3}, kFirst)));
  EXPECT_THAT(saves.orders(), IsEmpty());  // once
  saves.note(files[0].order, true);
  EXPECT_THAT(saves.orders(), IsEmpty());
  saves.note(files[1].order, true);
  const auto name = saves.orders();
  EXPECT_THAT(name, ElementsAre(by_launcher(DiskWork::name, 1, kFirst)));
  EXPECT_FALSE(saves.last().has_value());
  EXPECT_TRUE(saves.is_saving(1));
  EXPECT_FALSE(saves.is_saving(0));
  EXPECT_THAT(saves.note(name[0].order, true), IsEmpty());
  EXPECT_EQ(saves.last(), kFirst);
  EXPECT_FALSE(saves.expected().has_value());
  EXPECT_THAT(saves.orders(), IsEmpty());
}

TEST(ImageSaves, ComeOneAfterTheOther) {
  ImageSaves saves;
  saves.add(0, kFirst, {0});
  const auto first = saves.orders();
  EXPECT_EQ(saves.expected(), kFirst);
  saves.add(1, kSecond, {0});
  EXPECT_EQ(saves.expected(), kSecond);
  EXPECT_THAT(saves.orders(), IsEmpty());
  EXPECT_TRUE(saves.is_saving(1));
  saves.note(first[0].order, true);
  follow_one(saves);
  follow_one(saves);
  EXPECT_EQ(saves.last(), kFirst);
  EXPECT_THAT(saves.orders(), ElementsAre(by_launcher(DiskWork::folder, 1, kSecond)));
}

TEST(ImageSaves, AreRemovedWhereAPartFailsOnceAllPartsAreOver) {
  ImageSaves saves;
  saves.add(0, kFirst, {0, 1});
  follow_one(saves);
  const auto files = saves.orders();
  EXPECT_THAT(saves.note(files[0].order, false), IsEmpty());
  EXPECT_TRUE(saves.is_saving(0));  // host 1 still reads it
  EXPECT_FALSE(saves.expected().has_value());
  EXPECT_THAT(saves.note(files[1].order, true), ElementsAre(kFirst));
  EXPECT_FALSE(saves.is_saving(0));
  saves.add(1, kSecond, {0, 1});
  EXPECT_THAT(saves.orders(), ElementsAre(by_launcher(DiskWork::removal, 0, kFirst)));
  EXPECT_THAT(saves.note(by_launcher(DiskWork::removal, 0, kFirst).order, false), IsEmpty());  // said once
  finish_first(saves);
  EXPECT_EQ(saves.last(), kSecond);
}

TEST(ImageSaves, AreRemovedWhereTheyGetNoFolderOrNoName) {
  for (const int phase : {0, 2}) {
    ImageSaves saves;
    saves.add(0, kFirst, {0});
    for (int before = 0; before < phase; ++before) {
      follow_one(saves);
    }
    EXPECT_THAT(saves.note(saves.orders().at(0).order, false), ElementsAre(kFirst));
    EXPECT_THAT(saves.orders(), ElementsAre(by_launcher(DiskWork::removal, 0, kFirst)));
    EXPECT_FALSE(saves.last().has_value());
  }
}

TEST(ImageSaves, ComeToNothingWithAHostThatHasFilesOfThem) {
  ImageSaves saves;
  saves.add(0, kFirst, {0, 1});
  follow_one(saves);
  const auto files = saves.orders();
  saves.add(1, kSecond, {0, 0});
  EXPECT_THAT(saves.lose_host(1), IsEmpty());  // host 0 still writes
  EXPECT_THAT(saves.note(files[0].order, true), ElementsAre(kFirst));
  follow_one(saves);
  finish_first(saves);
  EXPECT_EQ(saves.last(), kSecond);
}

TEST(ImageSaves, DoNotNeedAHostThatHasWrittenItsFiles) {
  ImageSaves saves;
  saves.add(0, kFirst, {1, 2});
  follow_one(saves);
  const auto files = saves.orders();
  saves.note(files[0].order, true);
  EXPECT_THAT(saves.lose_host(1), IsEmpty());
  saves.note(files[1].order, true);
  const auto name = saves.orders();
  EXPECT_THAT(saves.lose_host(2), IsEmpty());
  EXPECT_THAT(saves.note(name.at(0).order, true), IsEmpty());
  EXPECT_EQ(saves.last(), kFirst);
}

TEST(ImageSaves, ComeToNothingWithAHostThatWouldHaveFilesOfThem) {
  ImageSaves saves;
  saves.add(0, kFirst, {0, 1});
  saves.orders();  // the folder is being made
  saves.add(1, kSecond, {0, 1});
  EXPECT_THAT(saves.lose_host(1), ElementsAre(kSecond));
  EXPECT_TRUE(saves.is_saving(0));
  EXPECT_FALSE(saves.is_saving(1));
  EXPECT_THAT(saves.note(by_launcher(DiskWork::folder, 0, kFirst).order, true), ElementsAre(kFirst));
  EXPECT_THAT(saves.orders(), ElementsAre(by_launcher(DiskWork::removal, 0, kFirst)));
}

TEST(ImageSaves, DoNotNeedAHostThatIsLostLater) {
  ImageSaves saves;
  saves.add(0, kFirst, {0, 1});
  finish_first(saves);
  EXPECT_THAT(saves.lose_host(1), IsEmpty());
  EXPECT_EQ(saves.last(), kFirst);
}

TEST(ImageSaves, AreGivenUp) {
  ImageSaves saves;
  saves.add(0, kFirst, {0});
  const auto folder = saves.orders();
  saves.add(1, kSecond, {0});
  EXPECT_THAT(saves.give_up(), ElementsAre(kFirst, kSecond));
  EXPECT_THAT(saves.give_up(), IsEmpty());
  EXPECT_THAT(saves.unfinished(), ElementsAre(kFirst, kSecond));
  EXPECT_FALSE(saves.expected().has_value());
  EXPECT_THAT(saves.note(folder[0].order, true), IsEmpty());
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
