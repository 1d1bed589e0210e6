#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/input_file.hpp"

namespace weft::base {
namespace {

class InputFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "input_file_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

TEST_F(InputFile, IsARegularOne) {
  const std::string file = folder_ + "/file";
  EXPECT_EQ(why_unreadable(file), file + ": cannot be read: No such file or directory");
  std::ofstream(file) << "a line\n";
  EXPECT_EQ(why_unreadable(file), "");
  std::filesystem::create_symlink("file", folder_ + "/link");
  EXPECT_EQ(why_unreadable(folder_ + "/link"), "");
}

TEST_F(InputFile, IsNeitherAPipeNorADeviceNorAFolder) {
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(why_unreadable(pipe), pipe + ": expected a regular file, not a pipe");
  EXPECT_EQ(why_unreadable("/dev/zero"), "/dev/zero: expected a regular file, not a device");
  EXPECT_EQ(why_unreadable(folder_), folder_ + ": expected a regular file, not a folder");
}

}  // namespace
}  // namespace weft::base
