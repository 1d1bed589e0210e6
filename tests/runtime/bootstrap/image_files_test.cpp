#include "runtime/bootstrap/image_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace weft::bootstrap {
namespace {

TEST(ImagesAddress, GoesThroughAVariable) {
  ImagesAddress images{.paths = {"/proc/1/fd/3,4", "/proc/1/fd/5,6"}, .whole = 1, .seconds = 77};
  auto found = parse_images_address(to_text(images));
  EXPECT_EQ(found.paths, images.paths);
  EXPECT_EQ(found.whole, images.whole);
  EXPECT_EQ(found.seconds, images.seconds);
  images.whole.reset();
  found = parse_images_address(to_text(images));
  EXPECT_FALSE(found.whole.has_value());
}

TEST(ImagesAddress, IsRefusedWhereItIsDamaged) {
  for (const char* const text : {"", "a b", "a b 2 0", "a b x 0", "a b 1 0x", "a b 1 -1", "a b 1 0 c"}) {
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

}  // namespace
}  // namespace weft::bootstrap
