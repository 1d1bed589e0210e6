// Who may use a folder of checkpoints: one that writes, or several that read.
#include "runtime/bootstrap/folder_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

namespace weft::bootstrap {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Lock : public testing::Test {
 protected:
  Lock() { fs::create_directories(folder_); }
  ~Lock() override { fs::remove_all(folder_); }

  // The error message for a lock that cannot be acquired; empty if it can.
  static std::string said(const std::string& folder, FolderLock::For purpose) {
    try {
      const FolderLock lock(folder, purpose);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

  const std::string folder_ = testing::TempDir() + "/folder_lock_test_" + std::to_string(::getpid());
};

TEST_F(Lock, IsOneWritersOrSeveralReaders) {
  std::optional<FolderLock> writer(std::in_place, folder_, FolderLock::For::kWriting);
  EXPECT_TRUE(writer->is_of(folder_ + "/../" + fs::path(folder_).filename().string()));
  EXPECT_FALSE(writer->is_of("/"));
  EXPECT_THAT(said(folder_, FolderLock::For::kWriting),
              HasSubstr("the folder " + folder_ + " is in use by another job (process " + std::to_string(::getpid())));
  EXPECT_THAT(said(folder_ + "/.", FolderLock::For::kReading), HasSubstr("wait for its end, or copy the folder"));
  writer.reset();
  FolderLock reader(folder_, FolderLock::For::kReading);
  EXPECT_EQ(said(folder_, FolderLock::For::kReading), "");
  EXPECT_THAT(said(folder_, FolderLock::For::kWriting), HasSubstr("take another folder"));
  reader.release();
  EXPECT_EQ(said(folder_, FolderLock::For::kWriting), "");
}

TEST_F(Lock, MakesTheFolderAndKeepsItsFileFromOthers) {
  const std::string deep = folder_ + "/a/b";
  EXPECT_THAT(said(deep, FolderLock::For::kReading), HasSubstr("cannot find the folder"));
  const mode_t before = ::umask(0);
  EXPECT_EQ(said(deep, FolderLock::For::kWriting), "");
  ::umask(before);
  struct stat its {};
  ASSERT_EQ(::stat((deep + "/.weft-lock").c_str(), &its), 0);
  EXPECT_EQ(its.st_mode & 0777U, 0600U);
}

TEST_F(Lock, EndsWithItsProcessHoweverThatEnds) {
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(folder_, FolderLock::For::kWriting);
    ::_exit(0);  // no destructor
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(said(folder_, FolderLock::For::kWriting), "");
}

TEST_F(Lock, DoesNotWaitAtAFifo) {
  ASSERT_EQ(::mkfifo((folder_ + "/.weft-lock").c_str(), 0600), 0);
  EXPECT_THAT(said(folder_, FolderLock::For::kWriting), HasSubstr("it is no regular file"));
}

}  // namespace
}  // namespace weft::bootstrap
