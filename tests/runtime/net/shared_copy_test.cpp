// Copies shared by two sides, with both sides in this process.
#include "runtime/net/shared_copy.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <random>
#include <thread>
#include <vector>

namespace weft::net::test {
namespace {

constexpr ProcessId kSelf{7};

// Helpers look all the time, also while one copy ends and the next is described.
TEST(SharedCopy, EveryByteComesWhoeverCopiesIt) {
  constexpr std::size_t kMost = 3 << 20;
  std::vector<std::byte> source(kMost);
  std::vector<std::byte> copy(kMost);
  std::mt19937_64 random(5);
  CopyOffer board;
  CopyOffer asked;
  std::atomic<int> helped = 0;
  std::vector<std::jthread> helpers;
  for (int i = 0; i < 2; ++i) {
    helpers.emplace_back([&](const std::stop_token& over) {
      while (!over.stop_requested()) {
        if (help_copy(board, getpid(), getpid())) {
          ++helped;
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  for (int i = 0; i < 50 || helped == 0; ++i) {
    const std::size_t bytes = 1 + random() % kMost;
    for (std::size_t at = 0; at < bytes; at += 509) {
      source[at] = static_cast<std::byte>(random());
    }
    std::fill(copy.begin(), copy.end(), std::byte{1});
    source[bytes - 1] = std::byte{2};
    ASSERT_TRUE(copy_shared(board, asked, kSelf, {getpid(), source.data()}, std::span(copy).first(bytes)));
    ASSERT_TRUE(std::equal(copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(bytes), source.begin()));
    ASSERT_TRUE(bytes == kMost || copy[bytes] == std::byte{1}) << "a byte too many";
  }
  EXPECT_EQ(asked.asked_by, number(kSelf) + 1);
}

TEST(SharedCopy, SaysWhyItCannotCopy) {
  CopyOffer board;
  CopyOffer asked;
  std::vector<std::byte> copy(kSmallestSharedCopy);
  EXPECT_FALSE(copy_shared(board, asked, kSelf, {getpid(), nullptr}, copy));
  EXPECT_EQ(errno, EFAULT);
  const pid_t gone = fork();
  if (gone == 0) {
    _exit(0);
  }
  waitpid(gone, nullptr, 0);
  EXPECT_FALSE(copy_shared(board, asked, kSelf, {gone, copy.data()}, copy));
  EXPECT_EQ(errno, ESRCH);
  EXPECT_FALSE(help_copy(board, getpid(), getpid())) << "a copy that is over has no pieces left";
}

// A process that was asked for help with one copy looks when the next one, from another process, is under way. At the
// next copy's source address it has memory of its own.
TEST(SharedCopy, IsHelpedOnlyByTheProcessThatIsRead) {
  constexpr std::size_t kBytes = 64 * kSmallestSharedCopy;
  std::vector<std::byte> source(kBytes, std::byte{3});
  std::vector<std::byte> copy(kBytes);
  CopyOffer offer;
  CopyOffer asked;
  const pid_t read = fork();  // has the same memory at the same addresses
  if (read == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pause();
    _exit(0);
  }
  std::fill(source.begin(), source.end(), std::byte{4});
  std::atomic<bool> helped = false;
  std::atomic<int> looked = 0;  // while pieces were left
  std::jthread helper([&](const std::stop_token& over) {
    while (!over.stop_requested()) {
      constexpr std::uint64_t kPieces = kBytes / (128 << 10);
      const bool is_open = (offer.next_piece.load() & 0xffffffff) < kPieces && offer.bytes.load() == kBytes;
      helped = help_copy(offer, getpid(), getpid()) || helped;
      looked += is_open ? 1 : 0;
    }
  });
  while (looked < 100) {
    ASSERT_TRUE(copy_shared(offer, asked, kSelf, {read, source.data()}, copy));
    ASSERT_TRUE(std::all_of(copy.begin(), copy.end(), [](std::byte byte) { return byte == std::byte{3}; }));
  }
  EXPECT_FALSE(helped);
  helper.request_stop();
  helper.join();
  kill(read, SIGKILL);
  waitpid(read, nullptr, 0);
}

// The kernel may refuse the helper an access that it allows the reader.
TEST(SharedCopy, DoesWhatItsHelperCouldNot) {
  CopyOffer board;
  CopyOffer asked;
  const std::vector<std::byte> source(4 * kSmallestSharedCopy, std::byte{3});
  const pid_t stranger = fork();
  if (stranger == 0) {
    pause();
    _exit(0);
  }
  void* const later = mmap(nullptr, source.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(later, MAP_FAILED);
  const std::span<std::byte> copy(static_cast<std::byte*>(later), source.size());
  std::jthread helper([&](const std::stop_token& over) {
    while (!over.stop_requested()) {
      help_copy(board, getpid(), stranger);  // which has no memory there
    }
  });
  for (int i = 0; i < 20 || !board.refused; ++i) {
    std::fill(copy.begin(), copy.end(), std::byte{0});
    ASSERT_TRUE(copy_shared(board, asked, kSelf, {getpid(), source.data()}, copy));
    ASSERT_TRUE(std::equal(copy.begin(), copy.end(), source.begin()));
  }
  helper.request_stop();
  helper.join();
  munmap(later, source.size());
  kill(stranger, SIGKILL);
  waitpid(stranger, nullptr, 0);
}

}  // namespace
}  // namespace weft::net::test
