#include "runtime/bootstrap/image_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/options.hpp"

namespace weft::bootstrap {
namespace {

TEST(ImagesAddress, GoesThroughAVariable) {
  ImagesAddress images{.paths = {"/proc/1/fd/3,4", "/proc/1/fd/5,6"},
                       .whole = 1,
                       .seconds = 77,
                       .unsaved_seconds = 33,
                       .readers = {0, 1, 1},
                       .refusal = "no room for 3 files"};
  auto found = parse_images_address(to_text(images));
  EXPECT_EQ(found.paths, images.paths);
  EXPECT_EQ(found.whole, images.whole);
  EXPECT_EQ(found.seconds, images.seconds);
  EXPECT_EQ(found.unsaved_seconds, images.unsaved_seconds);
  EXPECT_EQ(found.readers, images.readers);
  EXPECT_EQ(found.refusal, images.refusal);
  images.whole.reset();
  images.readers.clear();
  found = parse_images_address(to_text(images));
  EXPECT_FALSE(found.whole.has_value());
  EXPECT_FALSE(found.on_disk.has_value());
  EXPECT_TRUE(found.readers.empty());
  images.on_disk = 1234567890123;
  found = parse_images_address(to_text(images));
  EXPECT_FALSE(found.whole.has_value());
  EXPECT_EQ(found.on_disk, images.on_disk);
}

TEST(ImagesAddress, IsRefusedWhereItIsDamaged) {
  for (const char* const text :
       {"", "a b", "a b 2 0", "a b 1 0", "a b x 0 -", "a b 1 0x -", "a b 1 -1 -", "a b 1 1 0,x"}) {
    EXPECT_THROW(parse_images_address(text), std::runtime_error) << text;
  }
}

TEST(ImageFiles, HaveTwoPlacesOfTheirOwn) {
  const ImageFiles files(2);
  const auto [first, second] = files.paths();
  EXPECT_THAT(first, testing::MatchesRegex("/proc/[0-9]+/fd/[0-9]+,[0-9]+,[0-9]+"));
  EXPECT_THAT(second, testing::MatchesRegex("/proc/[0-9]+/fd/[0-9]+,[0-9]+,[0-9]+"));
  EXPECT_NE(first, second);
}

TEST(ImageFiles, GrowAndShrink) {
  ImageFiles files(2);
  const std::string before = files.paths()[0];
  files.make_room(1);
  EXPECT_EQ(files.paths()[0], before);
  files.make_room(4);
  EXPECT_THAT(files.paths()[0], testing::MatchesRegex(before + ",[0-9]+,[0-9]+"));
  files.drop_from(2);
  EXPECT_EQ(files.paths()[0], before);
}

TEST(ImageFiles, AreAsTheyWereWhereThereIsNoRoomForMore) {
  ImageFiles files(2);
  const auto before = files.paths();
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit lower{40, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
  EXPECT_THROW(files.make_room(40), std::runtime_error);
  EXPECT_EQ(files.paths(), before);
  EXPECT_NO_THROW(files.make_room(3)) << "all that it had opened is closed";
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

TEST(ImageFiles, GiveMemoryBack) {
  ImageFiles files(2);
  const auto paths_of = [&](std::uint32_t which) {
    const std::string text = files.paths().at(which);
    const std::size_t names = text.rfind('/') + 1;
    std::vector<std::string> paths;
    for (const std::string_view name : base::split_words(std::string_view(text).substr(names), ',')) {
      paths.push_back(text.substr(0, names) + std::string(name));
    }
    return paths;
  };
  const auto bytes_of = [&](std::uint32_t which) {
    std::vector<std::uintmax_t> bytes;
    for (const std::string& path : paths_of(which)) {
      bytes.push_back(std::filesystem::file_size(path));
    }
    return bytes;
  };
  for (const std::uint32_t which : {0U, 1U}) {
    for (const std::string& path : paths_of(which)) {
      std::ofstream(path) << "abc";
    }
  }
  files.keep(1, {0, 1, 7});
  EXPECT_THAT(bytes_of(0), testing::ElementsAre(3, 3, 3));
  EXPECT_THAT(bytes_of(1), testing::ElementsAre(3, 3, 0)) << "the index and process 0's stay";
}

}  // namespace
}  // namespace weft::bootstrap
