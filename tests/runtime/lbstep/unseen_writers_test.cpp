// What may write to memory without a report from the kernel.
#include "runtime/lbstep/unseen_writers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::runtime {
namespace {

TEST(UnseenWriters, AreNoneInAProcessWithFilesOnly) {
  const int file = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  EXPECT_FALSE(has_unseen_writers());
  ::close(file);
}

TEST(UnseenWriters, AreRings) {
  io_uring_params parameters{};
  const auto ring = static_cast<int>(::syscall(SYS_io_uring_setup, 4, &parameters));
  if (ring < 0) {
    GTEST_SKIP() << "the system has no io_uring";
  }
  EXPECT_TRUE(has_unseen_writers());
  ::close(ring);
  EXPECT_FALSE(has_unseen_writers());
}

TEST(UnseenWriters, AreContextsOfAsynchronousReads) {
  aio_context_t context = 0;
  if (::syscall(SYS_io_setup, 4, &context) != 0) {
    GTEST_SKIP() << "the system has no asynchronous I/O of its own";
  }
  EXPECT_TRUE(has_unseen_writers());
  ::syscall(SYS_io_destroy, context);
  EXPECT_FALSE(has_unseen_writers());
}

}  // namespace
}  // namespace weft::runtime
