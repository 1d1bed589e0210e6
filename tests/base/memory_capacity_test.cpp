#include "base/memory_capacity.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace weft::base {
namespace {

namespace fs = std::filesystem;

// A job's group with a step's group in it, which has this process's.
class CgroupMemory : public testing::Test {
 protected:
  CgroupMemory() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "job/step/task");
    std::ofstream(folder_ / "groups") << "1:name=systemd:/elsewhere\n0::/job/step/task\n";
  }
  ~CgroupMemory() override { fs::remove_all(folder_); }

  void limit(const std::string& group, const std::string& most, std::uint64_t used) const {
    std::ofstream(folder_ / group / "memory.max") << most << '\n';
    std::ofstream(folder_ / group / "memory.current") << used << '\n';
  }
  MemoryCapacity found() const { return cgroup_memory({.groups = folder_ / "groups", .mount = folder_}); }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("memory_capacity_test_" + std::to_string(::getpid()));
};

TEST_F(CgroupMemory, IsUnboundedWithoutALimit) {
  limit("job/step/task", "max", 5);
  EXPECT_EQ(found().available, std::numeric_limits<std::uint64_t>::max());
}

TEST_F(CgroupMemory, IsWhatTheTightestGroupLeaves) {
  limit("job/step/task", "max", 5);
  limit("job/step", "1000", 400);
  limit("job", "2000", 1900);
  EXPECT_EQ(found().total, 2000U);
  EXPECT_EQ(found().available, 100U);
  limit("job/step/task", "50", 60);
  EXPECT_EQ(found().total, 50U);
  EXPECT_EQ(found().available, 0U);
}

// A group that reads and writes files soon uses all of its memory to cache them.
TEST_F(CgroupMemory, LeavesWhatCachesFiles) {
  limit("job", "1000", 1000);
  std::ofstream(folder_ / "job/memory.stat") << "anon 300\nfile 700\nshmem 100\ninactive_file 400\nactive_file 200\n";
  EXPECT_EQ(found().available, 600U);
}

}  // namespace
}  // namespace weft::base
