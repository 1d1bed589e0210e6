// Images in memory files. Each overwrites the one before the last, and only changed bytes are copied.
#include "runtime/lbstep/image_contents.hpp"

#include <gtest/gtest.h>
#include <linux/aio_abi.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/pages.hpp"
#include "runtime/lbstep/checkpoint.hpp"

namespace weft::runtime {
namespace {

constexpr std::size_t kPage = base::kPageBytes;
constexpr std::size_t kPages = 2048;

std::span<std::byte> mapped() {
  void* const place = ::mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return {static_cast<std::byte*>(place), kPages * kPage};
}

// A rank owns parts of `memory_`. An image is read into `read_`, which has the same page alignment.
class Images : public testing::Test {
 protected:
  Images() : memory_(mapped()), read_(mapped()) {
    for (int& file : files_) {
      file = ::memfd_create("image_contents_test", MFD_CLOEXEC);
    }
  }
  ~Images() override {
    ::munmap(memory_.data(), memory_.size());
    ::munmap(read_.data(), read_.size());
    std::ranges::for_each(files_, [](int file) { ::close(file); });
  }

  void SetUp() override {
    const PageWatch watch;
    WriteTracker tracker(watch);
    const std::span<std::byte> one = memory_.first(kPage);
    one[0] = std::byte{1};
    tracker.written(memory_, std::span(&one, 1));
    tells_ = tracker.written(memory_, std::span(&one, 1)).empty();
  }

  // The files of image number `step`. Images alternate between two pairs of files.
  std::string place(std::uint64_t step) const {
    const std::size_t first = step % 2 * 2;
    return "/proc/self/fd/" + std::to_string(files_[first]) + "," + std::to_string(files_[first + 1]);
  }

  // Returns how many bytes of the rank's memory had to be copied.
  std::uint64_t write(std::uint64_t step, const std::vector<std::span<std::byte>>& parts) {
    CheckpointWriter writer(place(step), step, 0, ram_files_, &images_);
    images_.note_written(0, memory_, parts);
    writer.add(0, std::vector<std::byte>(step % 1000, std::byte{7}), parts);
    CheckpointIndex index;
    index.ranks = 1;
    index.steps = step;
    index.entries = writer.close();
    CheckpointWriter::publish(place(step), index);
    return writer.copied();
  }

  void expect_whole(std::uint64_t step, const std::vector<std::span<std::byte>>& parts) const {
    std::vector<std::span<std::byte>> into;
    for (const std::span<std::byte> part : parts) {
      into.push_back(read_.subspan(static_cast<std::size_t>(part.data() - memory_.data()), part.size()));
    }
    const CheckpointReader reader(place(step));
    ASSERT_EQ(reader.index().steps, step);
    reader.memory(reader.entry(0), into);
    EXPECT_EQ(reader.image(reader.entry(0)), std::vector<std::byte>(step % 1000, std::byte{7}));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      ASSERT_EQ(std::memcmp(parts[i].data(), into[i].data(), parts[i].size()), 0) << "image " << step << ", part " << i;
    }
  }

  std::span<std::byte> memory_;
  std::span<std::byte> read_;
  std::array<int, 4> files_{};  // index and ranks of the even images, and of the odd ones
  RamFiles ram_files_;
  ImageContents images_{true};
  bool tells_ = false;  // the kernel does, what has been written
};

TEST_F(Images, CopyWhatWasWrittenSinceTheOneBeforeTheLast) {
  std::memset(memory_.data(), 1, memory_.size());
  const std::vector<std::span<std::byte>> all{memory_};
  EXPECT_EQ(write(0, all), memory_.size());
  EXPECT_EQ(write(1, all), memory_.size());
  memory_[5 * kPage] = std::byte{2};
  EXPECT_EQ(write(2, all), tells_ ? kPage : memory_.size());
  memory_[900 * kPage] = std::byte{3};
  memory_[901 * kPage + 1] = std::byte{3};
  EXPECT_EQ(write(3, all), tells_ ? 3 * kPage : memory_.size()) << "in the other file, page 5 is old";
  EXPECT_EQ(write(4, all), tells_ ? 2 * kPage : memory_.size());
  EXPECT_EQ(write(5, all), tells_ ? 0 : memory_.size());
  for (const std::uint64_t step : {4U, 5U}) {
    expect_whole(step, all);
  }
}

TEST_F(Images, CopyAllWhereWritesAreNotSeen) {
  ImageContents unseen(false);
  std::memset(memory_.data(), 1, memory_.size());
  const std::vector<std::span<std::byte>> all{memory_};
  for (std::uint64_t step = 0; step < 4; ++step) {
    CheckpointWriter writer(place(step), step, 0, ram_files_, &unseen);
    unseen.note_written(0, memory_, all);
    writer.add(0, {}, all);
    writer.close();
    EXPECT_EQ(writer.copied(), memory_.size());
  }
}

// An asynchronous read in progress may end after the image, and its context may be gone by the next image.
TEST_F(Images, CopyAllOnceSomethingMayHaveWrittenUnseen) {
  std::memset(memory_.data(), 1, memory_.size());
  const std::vector<std::span<std::byte>> all{memory_};
  write(0, all);
  write(1, all);
  aio_context_t context = 0;
  if (::syscall(SYS_io_setup, 4, &context) != 0) {
    GTEST_SKIP() << "the system has no asynchronous I/O of its own";
  }
  images_.begin_image();
  EXPECT_EQ(write(2, all), memory_.size());
  ::syscall(SYS_io_destroy, context);
  images_.begin_image();
  EXPECT_EQ(write(3, all), memory_.size());
  EXPECT_EQ(write(4, all), memory_.size());
}

TEST_F(Images, CopyAllOfARankThatHasBeenElsewhere) {
  std::memset(memory_.data(), 1, memory_.size());
  const std::vector<std::span<std::byte>> all{memory_};
  write(0, all);
  write(1, all);
  images_.forget(0);
  EXPECT_EQ(write(2, all), memory_.size());
  EXPECT_EQ(write(3, all), memory_.size());
}

// Ranks change their memory at random between images. Each image must equal the memory at that time.
TEST_F(Images, AreWholeWhateverRanksDo) {
  std::mt19937 random(20261128);
  const auto any = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random); };
  std::memset(memory_.data(), 1, memory_.size());
  std::uint64_t copied = 0;
  std::uint64_t bytes = 0;
  for (std::uint64_t step = 0; step < 300; ++step) {
    for (std::size_t writes = any(60); writes > 0; --writes) {
      memory_[any(memory_.size())] = static_cast<std::byte>(any(256));
    }
    std::byte* const some = memory_.data() + any(kPages - 64) * kPage;
    switch (any(12)) {
      case 0:  // most of a block
        std::memset(some, static_cast<int>(step), 64 * kPage);
        break;
      case 1:
        ASSERT_EQ(::madvise(some, 3 * kPage, MADV_DONTNEED), 0);
        some[kPage] = static_cast<std::byte>(step);
        break;
      case 2:
        if (any(4) == 0) {
          ASSERT_NE(::mmap(some, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
                    MAP_FAILED);
        }
        break;
      case 3:
        if (any(8) == 0) {
          images_.forget(0);
        }
        break;
      case 4:
        if (any(8) == 0) {
          CheckpointWriter::discard(place(step), step);
        }
        break;
      default:
        break;
    }
    // A heap whose end moves, a hole, and the used part of a stack.
    const std::size_t heap = (1200 + any(3) * any(2) * 40) * kPage + any(2) * 16;
    const std::size_t stack = 2000 * kPage + any(4) * 512;
    const std::vector<std::span<std::byte>> parts{
        memory_.first(heap), memory_.subspan(1400 * kPage + 8, (300 + any(2)) * kPage), memory_.subspan(stack)};
    copied += write(step, parts);
    for (const std::span<std::byte> part : parts) {
      bytes += part.size();
    }
    expect_whole(step, parts);
    if (HasFatalFailure()) {
      return;
    }
  }
  EXPECT_TRUE(!tells_ || copied < bytes / 2) << copied << " of " << bytes;
}

}  // namespace
}  // namespace weft::runtime
