#include "runtime/bootstrap/memory_files.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "tests/forbidden_call.hpp"

namespace weft::bootstrap {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string name_of(int descriptor) {
  std::string name(200, '\0');
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), name.data(), name.size());
  name.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return name;
}

// Expects an empty file that can be written, read and mapped, also when opened by its path in /proc. Only its user can
// access it.
void expect_usable(const MemoryFiles& files) {
  const int file = files.create("some-name");
  ASSERT_GE(file, 0);
  struct stat its {};
  ASSERT_EQ(::fstat(file, &its), 0);
  EXPECT_EQ(its.st_size, 0);
  EXPECT_EQ(its.st_uid, ::geteuid());
  EXPECT_EQ(::fcntl(file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_THAT(name_of(file), testing::HasSubstr("some-name"));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const int again = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(again, 0);
  ASSERT_EQ(::pwrite(again, "abc", 3, 5'000'000), 3);
  void* const bytes = ::mmap(nullptr, 5'000'003, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ASSERT_NE(bytes, MAP_FAILED);
  EXPECT_EQ(std::string(static_cast<char*>(bytes) + 5'000'000, 3), "abc");
  EXPECT_EQ(static_cast<char*>(bytes)[4'999'999], 0);
  ::munmap(bytes, 5'000'003);
  ::close(again);
  ::close(file);
}

TEST(MemoryFiles, AreUsable) {
  const MemoryFiles files;
  expect_usable(files);
  expect_usable(files);  // another one of the same name
  EXPECT_THAT(text_of("/proc/self/mountinfo"), testing::Not(testing::HasSubstr("weft-images")))
      << "nobody sees it mounted";
}

// The block size that the kernel reports shows whether the file system has huge pages.
TEST(MemoryFiles, HaveHugePages) {
  constexpr blksize_t kHugePage = blksize_t{2} << 20;
  const MemoryFiles files;
  const int file = files.create("huge");
  const bool is_plain = name_of(file).starts_with("/memfd:");
  struct stat its {};
  ASSERT_EQ(::fstat(file, &its), 0);
  ::close(file);
  if (is_plain || text_of("/sys/kernel/mm/transparent_hugepage/shmem_enabled").find("[deny]") != std::string::npos) {
    GTEST_SKIP() << "users have no file systems of their own here, or the kernel no huge pages";
  }
  EXPECT_EQ(its.st_blksize, kHugePage);
}

TEST(MemoryFiles, HaveSmallPagesWhereUsersMayNotMount) {
  for (const long call : {long{SYS_fsopen}, long{SYS_fsmount}}) {
    std::thread([&] {  // alone, and what it starts
      ASSERT_TRUE(test::forbid_call(call));
      const MemoryFiles files;
      const int file = files.create("some-name");
      EXPECT_THAT(name_of(file), testing::StartsWith("/memfd:some-name"));
      ::close(file);
      expect_usable(files);
    })
        .join();
  }
}

TEST(MemoryFiles, LeaveNoDescriptorOpen) {
  const auto lowest_free = [] {
    const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(descriptor);
    return descriptor;
  };
  const int before = lowest_free();
  { const MemoryFiles files; }
  EXPECT_EQ(lowest_free(), before);
}

}  // namespace
}  // namespace weft::bootstrap
