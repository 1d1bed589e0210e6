#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/user_folder.hpp"

namespace weft::base {
namespace {

class UserFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "user_folder_XXXXXX";
    above_ = ::mkdtemp(name.data());
    ::setenv("XDG_RUNTIME_DIR", above_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("XDG_RUNTIME_DIR");
    std::filesystem::remove_all(above_);
  }

  std::string above_;
};

TEST_F(UserFolder, IsMadeForThisUserAlone) {
  EXPECT_EQ(user_folder(), above_ + "/weft");
  struct stat status {};
  ASSERT_EQ(::stat(user_folder().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST_F(UserFolder, IsNoneThatOthersMayOpen) {
  std::filesystem::create_directory(above_ + "/weft");
  ::chmod((above_ + "/weft").c_str(), 0755);
  EXPECT_EQ(user_folder(), "");
}

TEST_F(UserFolder, IsNeitherALinkNorAFile) {
  std::filesystem::create_directory(above_ + "/elsewhere");
  ::chmod((above_ + "/elsewhere").c_str(), 0700);
  std::filesystem::create_directory_symlink(above_ + "/elsewhere", above_ + "/weft");
  EXPECT_EQ(user_folder(), "");
  std::filesystem::remove(above_ + "/weft");
  std::ofstream(above_ + "/weft") << "a file";
  EXPECT_EQ(user_folder(), "");
}

TEST_F(UserFolder, IsNoneWhereItCannotBeMade) {
  ::setenv("XDG_RUNTIME_DIR", (above_ + "/not/there").c_str(), 1);
  EXPECT_EQ(user_folder(), "");
}

TEST_F(UserFolder, IsInTheTemporaryFolderWithoutOneOfTheSession) {
  ::unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(user_folder(), "/tmp/weft-" + std::to_string(::geteuid()));
  ::setenv("XDG_RUNTIME_DIR", "not/from/the/root", 1);
  EXPECT_EQ(user_folder(), "/tmp/weft-" + std::to_string(::geteuid()));
}

}  // namespace
}  // namespace weft::base
