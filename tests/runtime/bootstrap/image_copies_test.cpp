// Which hosts have which files of images, and what follows from that.
#include "runtime/bootstrap/image_copies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace weft::bootstrap {

void PrintTo(const ImageCopies::Copy& copy, std::ostream* out) {
  *out << copy.from << " -> " << copy.order.to << ": " << testing::PrintToString(copy.order.files);
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Hosts = std::vector<std::uint32_t>;

ImageCopies::Copy copy(std::uint32_t image, std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t> files) {
  return {.from = from, .order = {.image = image, .files = std::move(files), .to = to}};
}

// Each process reads its own file.
Hosts own(std::size_t processes) {
  Hosts readers;
  for (std::uint32_t p = 0; p < processes; ++p) {
    readers.push_back(p);
  }
  return readers;
}

// Completes all missing copies.
void copy_all(ImageCopies& copies, std::uint32_t image, const Hosts& hosts) {
  for (const auto& one : copies.missing_replicas(image, hosts)) {
    copies.copied(one.order);
  }
}

TEST(ImageCopies, GoToTheNextHostOfARingAndTheIndexToAll) {
  ImageCopies copies;
  const Hosts hosts{0, 0, 2, 5};
  EXPECT_FALSE(copies.is_available(1));
  copies.written(1, hosts);
  EXPECT_TRUE(copies.is_available(1));
  EXPECT_FALSE(copies.is_available(0));
  EXPECT_THAT(copies.missing_replicas(1, hosts),
              ElementsAre(copy(1, 0, 2, {0, 1, 2}), copy(1, 0, 5, {0}), copy(1, 2, 5, {3}), copy(1, 5, 0, {4})));
  copy_all(copies, 1, hosts);
  EXPECT_THAT(copies.missing_replicas(1, hosts), IsEmpty());
}

TEST(ImageCopies, AreNoneOnOneHost) {
  ImageCopies copies;
  copies.written(0, {3, 3});
  EXPECT_THAT(copies.missing_replicas(0, {3, 3}), IsEmpty());
  EXPECT_THAT(copies.needed(0, {3, 3}, own(2)), IsEmpty());
  EXPECT_THAT(copies.without(3, 0, {3, 3}, own(2)), IsEmpty());
}

TEST(ImageCopies, LetTheJobGoOnWithoutAnyHost) {
  const Hosts hosts{0, 1, 1, 2, 7};
  for (const std::uint32_t lost : {0U, 1U, 2U, 7U}) {
    ImageCopies copies;
    copies.written(0, hosts);
    copy_all(copies, 0, hosts);
    copies.lose_host(lost);
    EXPECT_TRUE(copies.is_available(0)) << lost;
    const Hosts left = copies.without(lost, 0, hosts, own(hosts.size()));
    EXPECT_THAT(left, testing::SizeIs(hosts.size()));
    EXPECT_THAT(left, testing::Each(testing::Ne(lost)));
    EXPECT_THAT(copies.needed(0, left, own(left.size())), IsEmpty())
        << "all find their files where they start, without " << lost;
    // Then a second host is lost, once there are two copies again.
    copy_all(copies, 0, left);
    const std::uint32_t next = left.front();
    copies.lose_host(next);
    EXPECT_TRUE(copies.is_available(0)) << lost << " and " << next;
  }
}

TEST(ImageCopies, AreMissedWhereAHostIsLostBeforeTheyAreMade) {
  ImageCopies copies;
  const Hosts hosts{0, 1};
  copies.written(0, hosts);
  copy_all(copies, 0, hosts);
  copies.written(1, hosts);
  copies.lose_host(1);
  EXPECT_FALSE(copies.is_available(1));
  EXPECT_TRUE(copies.is_available(0));
}

TEST(ImageCopies, CountNoMoreOnceTheImageIsWrittenOver) {
  ImageCopies copies;
  copies.written(0, {0, 1});
  copies.begin(0);
  EXPECT_FALSE(copies.is_available(0));
  copies.copied({.image = 0, .files = {0, 1}, .to = 1});  // late
  EXPECT_FALSE(copies.is_available(0));
}

TEST(ImageCopies, AreBroughtToWhereProcessesStart) {
  ImageCopies copies;
  copies.written(0, {0, 0, 1});
  EXPECT_THAT(copies.needed(0, {0, 1, 2}, own(3)),
              ElementsAre(copy(0, 0, 1, {0, 2}), copy(0, 0, 2, {0}), copy(0, 1, 2, {3})));
}

TEST(ImageCopies, OfProcessesThatGoAreReadWhereTheyLie) {
  ImageCopies copies;
  copies.written(0, {0, 1, 1, 2});
  // Host 1 leaves before anything of it was copied. The processes that read the fewest files take over its files.
  EXPECT_THAT(copies.readers(0, {0, 2}, {0, 3}, own(4)), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(copies.needed(0, {0, 2}, {0, 0, 1, 1}),
              ElementsAre(copy(0, 0, 2, {0}), copy(0, 1, 0, {2}), copy(0, 1, 2, {3})));
  copy_all(copies, 0, {0, 1, 1, 2});
  EXPECT_THAT(copies.readers(0, {0, 2}, {0, 3}, own(4)), ElementsAre(0, 1, 1, 1)) << "host 2 has the copies";
  EXPECT_THAT(copies.needed(0, {0, 2}, {0, 1, 1, 1}), IsEmpty());
  // Then the second of these hosts leaves, too.
  EXPECT_THAT(copies.readers(0, {0}, {0}, {0, 1, 1, 1}), ElementsAre(0, 0, 0, 0));
  // A new host needs only the index: its ranks come from the processes that read them.
  const std::vector<std::optional<std::uint32_t>> before{0, 1, 2, 3, {}};
  EXPECT_THAT(copies.readers(0, {0, 1, 1, 2, 3}, before, own(4)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(copies.needed(0, {0, 1, 1, 2, 3}, own(4)), ElementsAre(copy(0, 0, 3, {0})));
  EXPECT_THAT(copies.without(3, 0, {0, 1, 1, 2, 3}, own(4)), ElementsAre(0, 1, 1, 2, 0)) << "it has no file to read";
}

TEST(ImageCopies, AreOfAHostWhatItHas) {
  ImageCopies copies;
  copies.written(1, {0, 1});
  EXPECT_THAT(copies.files_of(1, 0), ElementsAre(0, 1));
  EXPECT_THAT(copies.files_of(1, 1), ElementsAre(2));
  EXPECT_THAT(copies.files_of(0, 1), IsEmpty());
}

TEST(ImageCopies, WithoutAnImageProcessesGoToTheNextHost) {
  const ImageCopies copies;
  EXPECT_THAT(copies.without(1, {}, {0, 1, 1, 4}, {}), ElementsAre(0, 4, 4, 4));
  EXPECT_THAT(copies.without(4, {}, {0, 1, 1, 4}, {}), ElementsAre(0, 1, 1, 0));
}

}  // namespace
}  // namespace weft::bootstrap
