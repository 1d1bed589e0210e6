#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/topology/core_locks.hpp"

namespace weft::runtime {
namespace {

using Cores = std::vector<std::uint32_t>;

class CoreLocksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "core_locks_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

TEST_F(CoreLocksTest, AJobTakesTheFirstCoresThatAreFree) {
  CoreLocks first(folder_);
  EXPECT_EQ(first.take({0, 2, 1, 3}, 2), (Cores{0, 2}));
  CoreLocks second(folder_);
  EXPECT_EQ(second.take({0, 2, 1, 3}, 1), (Cores{1}));
  CoreLocks third(folder_);
  EXPECT_EQ(third.take({2, 3}, 1), (Cores{3}));
}

TEST_F(CoreLocksTest, WhereTooFewAreFreeItSharesTheFirstOfTheOthers) {
  CoreLocks first(folder_);
  first.take({0, 1, 2}, 2);
  CoreLocks second(folder_);
  EXPECT_EQ(second.take({0, 1, 2}, 3), (Cores{2, 0, 1}));
}

TEST_F(CoreLocksTest, WhereNoneIsFreeJobsSpreadOverTheCoresOfOthers) {
  CoreLocks first(folder_);
  first.take({0, 1}, 2);
  CoreLocks second(folder_);
  EXPECT_EQ(second.take({0, 1}, 1), (Cores{0}));
  std::optional<CoreLocks> third(folder_);
  EXPECT_EQ(third->take({0, 1}, 1), (Cores{1}));
  CoreLocks fourth(folder_);
  EXPECT_EQ(fourth.take({0, 1}, 1), (Cores{0}));
  third.reset();
  CoreLocks fifth(folder_);
  EXPECT_EQ(fifth.take({0, 1}, 1), (Cores{1}));
}

TEST_F(CoreLocksTest, CoresAreFreeAgainWhenTheirJobHasEnded) {
  std::optional<CoreLocks> first(folder_);
  first->take({0, 1}, 2);
  first.reset();
  CoreLocks second(folder_);
  EXPECT_EQ(second.take({0, 1}, 2), (Cores{0, 1}));
}

TEST_F(CoreLocksTest, WithoutAFolderNoJobSeesAnother) {
  for (const std::string& folder : {std::string(), folder_ + "/that/is/not/there"}) {
    CoreLocks first(folder);
    EXPECT_EQ(first.take({0, 1}, 1), (Cores{0}));
    CoreLocks second(folder);
    EXPECT_EQ(second.take({0, 1}, 1), (Cores{0}));
  }
}

}  // namespace
}  // namespace weft::runtime
