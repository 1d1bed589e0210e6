// The pages written since the last image, as the kernel reports them.
#include "runtime/lbstep/write_tracker.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

#include "base/pages.hpp"

namespace weft::runtime {
namespace {

constexpr std::size_t kPage = base::kPageBytes;
constexpr std::size_t kBlock = 512 * kPage;

class Tracker : public testing::Test {
 protected:
  // Four blocks of anonymous memory, the first block of them aligned.
  Tracker() {
    auto* const place = static_cast<std::byte*>(
        ::mmap(nullptr, 5 * kBlock, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    mapped_ = place;
    const auto address = reinterpret_cast<std::uint64_t>(place);
    memory_ = {place + (kBlock - address % kBlock) % kBlock, 4 * kBlock};
    std::memset(memory_.data(), 1, memory_.size());
  }
  ~Tracker() override { ::munmap(mapped_, 5 * kBlock); }

  void SetUp() override {
    AddressSet none;
    const bool works = watch_.works() && watch_.add(whole()) && watch_.take_written(whole(), none);
    watch_.remove(whole());
    if (!works) {
      GTEST_SKIP() << "the kernel does not tell which pages have been written";
    }
  }

  AddressRange whole() const { return range(0, 2048); }
  AddressRange range(std::size_t first, std::size_t pages) const {
    const auto begin = reinterpret_cast<std::uint64_t>(memory_.data()) + first * kPage;
    return {begin, begin + pages * kPage};
  }
  void write(std::size_t page, std::byte value = std::byte{2}) { memory_[page * kPage + 5] = value; }
  AddressSet written(WriteTracker& tracker) const { return written(tracker, 2048, 2048); }
  // Written addresses in the first `pages` of the area, which may grow to `most` pages.
  AddressSet written(WriteTracker& tracker, std::size_t pages, std::size_t most) const {
    const std::span<std::byte> memory = memory_.first(pages * kPage);
    return tracker.written(memory_.first(most * kPage), std::span(&memory, 1));
  }

  PageWatch watch_;
  void* mapped_ = nullptr;
  std::span<std::byte> memory_;
};

TEST_F(Tracker, TellsWhatIsWrittenBetweenTwoCalls) {
  WriteTracker tracker(watch_);
  EXPECT_EQ(written(tracker), AddressSet{whole()}) << "all of it is new";
  EXPECT_EQ(written(tracker), AddressSet{});
  write(3);
  write(4);
  write(700);
  EXPECT_EQ(written(tracker), (AddressSet{range(3, 2), range(700, 1)}));
  EXPECT_EQ(written(tracker), AddressSet{});
  write(3);
  EXPECT_EQ(written(tracker), AddressSet{range(3, 1)});
}

TEST_F(Tracker, TellsWholePagesOfPartsOfPages) {
  WriteTracker tracker(watch_);
  const std::span<std::byte> part = memory_.subspan(kPage + 100, kPage);
  EXPECT_EQ(tracker.written(memory_, std::span(&part, 1)), AddressSet{range(1, 2)});
  memory_[kPage] = std::byte{9};  // outside, on the same page
  EXPECT_EQ(tracker.written(memory_, std::span(&part, 1)), AddressSet{range(1, 1)});
}

// The pages hold zeros: their content changed without a write, both where they were read again (10) and where not (12).
TEST_F(Tracker, TellsPagesThatWereGivenBack) {
  WriteTracker tracker(watch_);
  written(tracker);
  ASSERT_EQ(::madvise(memory_.data() + 10 * kPage, 3 * kPage, MADV_DONTNEED), 0);
  EXPECT_EQ(memory_[10 * kPage], std::byte{});
  write(11);
  EXPECT_EQ(written(tracker), AddressSet{range(10, 3)});
}

TEST_F(Tracker, TakesAllAsWrittenWhereAMappingIsNew) {
  WriteTracker tracker(watch_);
  written(tracker);
  ASSERT_NE(::mmap(memory_.data() + 20 * kPage, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                   -1, 0),
            MAP_FAILED);
  EXPECT_EQ(written(tracker), AddressSet{whole()});
  EXPECT_EQ(written(tracker), AddressSet{whole()}) << "not watched for an image";
  EXPECT_EQ(written(tracker), AddressSet{whole()}) << "watched from here on";
  write(20);
  EXPECT_EQ(written(tracker), AddressSet{range(20, 1)});
}

// The second pause is twice as long.
TEST_F(Tracker, DoesNotWatchForAWhileWhatIsWrittenInManyPlaces) {
  WriteTracker tracker(watch_);
  written(tracker);
  const auto write_much = [&] {
    for (std::size_t page = 512; page < 700; page += 2) {
      write(page);
    }
  };
  for (const int images : {8, 16}) {
    write_much();
    AddressSet expected;
    for (std::size_t page = 512; page < 700; page += 2) {
      append(expected, range(page, 1));
    }
    EXPECT_EQ(written(tracker), expected);
    for (int image = 0; image <= images; ++image) {  // then it is watched again
      EXPECT_EQ(written(tracker), AddressSet{range(512, 512)}) << image;
    }
    EXPECT_EQ(written(tracker), AddressSet{}) << images;
  }
}

// Only blocks that were huge pages before become huge pages again. The kernel also makes huge pages by itself, every
// ten seconds. One of several tries therefore suffices to show that the tracker leaves a block alone.
TEST_F(Tracker, MakesHugePagesOfBlocksThatItDoesNotWatch) {
  bool is_left_alone = false;
  for (int tries = 0; tries < 5 && !is_left_alone; ++tries) {
    ::madvise(memory_.data(), 2 * kBlock, MADV_DONTNEED);
    ::madvise(memory_.data(), kBlock, MADV_NOHUGEPAGE);
    ::madvise(memory_.data() + kBlock, kBlock, MADV_HUGEPAGE);
    std::memset(memory_.data(), 1, 2 * kBlock);
    ::madvise(memory_.data(), kBlock, MADV_HUGEPAGE);  // may become one, and need not
    if (!watch_.is_huge(range(512, 512))) {
      GTEST_SKIP() << "the system has no huge page to give";
    }
    WriteTracker tracker(watch_);
    written(tracker);
    for (std::size_t page = 0; page < 1024; page += 4) {
      write(page);
    }
    EXPECT_FALSE(watch_.is_huge(range(512, 512))) << "writes have split it";
    written(tracker);
    EXPECT_TRUE(watch_.is_huge(range(512, 512)));
    is_left_alone = !watch_.is_huge(range(0, 512));
  }
  EXPECT_TRUE(is_left_alone);
}

// The rank is suspended, but a signal handler may run. A write by the handler is reported at once or the next time.
TEST_F(Tracker, LosesNoWriteThatComesMeanwhile) {
  WriteTracker tracker(watch_);
  written(tracker);
  AddressSet expected;
  for (std::size_t page = 0; page < 480; page += 8) {
    append(expected, range(page, 1));
  }
  for (int round = 0; round < 200; ++round) {
    std::atomic<bool> begun = false;
    std::thread writer([&] {
      begun = true;
      for (std::size_t page = 0; page < 480; page += 8) {
        write(page);
      }
    });
    while (!begun) {
    }
    const AddressSet at_once = written(tracker);
    writer.join();
    ASSERT_EQ(united(at_once, written(tracker)), expected) << "round " << round;
  }
}

TEST_F(Tracker, WatchesNothingWithoutAddresses) {
  WriteTracker tracker(watch_);
  const std::span<std::byte> memory = memory_;
  EXPECT_EQ(tracker.written({}, std::span(&memory, 1)), AddressSet{whole()});
  EXPECT_EQ(tracker.written({}, std::span(&memory, 1)), AddressSet{whole()});
}

// A rank's heap ends earlier while a read-only file mapping exists, which the kernel cannot watch.
TEST_F(Tracker, WatchesWhatTheHeapMayHave) {
  WriteTracker tracker(watch_);
  const int file = ::memfd_create("write_tracker_test", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(file, kBlock), 0);
  std::byte* const last = memory_.data() + 3 * kBlock;
  EXPECT_EQ(written(tracker, 1024, 2048), (AddressSet{range(0, 1024)}));
  ASSERT_EQ(::mmap(last, kBlock, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0), last);
  write(3);
  EXPECT_EQ(written(tracker, 1024, 1536), AddressSet{range(3, 1)});
  ASSERT_EQ(::mmap(last, kBlock, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), last);
  write(4);
  EXPECT_EQ(written(tracker, 1024, 2048), AddressSet{range(4, 1)});
  std::memset(last, 1, kBlock);
  EXPECT_EQ(written(tracker), (AddressSet{range(1024, 1024)})) << "it is new";
  write(5);
  write(2000);
  EXPECT_EQ(written(tracker), (AddressSet{range(5, 1), range(2000, 1)}));
  ::close(file);
}

TEST_F(Tracker, LeavesTheMemoryUnwatched) {
  {
    WriteTracker tracker(watch_);
    written(tracker);
  }
  AddressSet none;
  EXPECT_FALSE(watch_.take_written(whole(), none));
}

TEST(AddressSets, AreUnited) {
  EXPECT_EQ(united({{1, 3}, {5, 6}}, {{2, 4}, {6, 7}, {9, 10}}), (AddressSet{{1, 4}, {5, 7}, {9, 10}}));
  EXPECT_EQ(united({}, {{2, 4}}), (AddressSet{{2, 4}}));
  EXPECT_EQ(united({{0, 10}}, {{2, 4}}), (AddressSet{{0, 10}}));
}

}  // namespace
}  // namespace weft::runtime
