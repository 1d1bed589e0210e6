// Sockets of jobs: finding them, questions, stale sockets, and folders of other users.
#include "inspect/job_socket.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "inspect/connection.hpp"
#include "inspect/job_folders.hpp"

namespace weft::inspect {
namespace {

class JobSockets : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "job_socket_XXXXXX";
    above_ = ::mkdtemp(name.data());
    if (const char* const set = std::getenv("XDG_RUNTIME_DIR"); set != nullptr) {
      before_ = set;
    }
    ::setenv("XDG_RUNTIME_DIR", above_.c_str(), 1);
  }
  void TearDown() override {
    before_.empty() ? ::unsetenv("XDG_RUNTIME_DIR") : ::setenv("XDG_RUNTIME_DIR", before_.c_str(), 1);
    std::filesystem::remove_all(above_);
  }
  // The user may have jobs in /tmp.
  std::vector<FoundJob> jobs() const {
    std::vector<FoundJob> all = find_jobs();
    std::erase_if(all, [&](const FoundJob& job) { return !job.folder.starts_with(above_); });
    return all;
  }

  std::string above_;
  std::string before_;
};

TEST_F(JobSockets, AreFoundUntilTheyAreGone) {
  EXPECT_TRUE(jobs().empty());
  {
    const JobSocket zero("a-job", 0), twelve("a-job", 12), other("b@host", 3);
    ASSERT_EQ(jobs().size(), 2U);
    EXPECT_EQ(jobs()[0].name, "a-job");
    EXPECT_EQ(jobs()[0].processes, (std::vector<std::uint32_t>{0, 12}));
    FoundJob job = jobs()[0];
    EXPECT_TRUE(remove_stale_sockets(job));
    EXPECT_EQ(job.processes.size(), 2U);
    struct stat status {};
    ASSERT_EQ(::stat(jobs()[0].folder.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U);
  }
  EXPECT_TRUE(jobs().empty());
  EXPECT_TRUE(std::filesystem::is_empty(above_ + "/weft/jobs"));
}

TEST_F(JobSockets, PassFrames) {
  const JobSocket socket("1", 0);
  std::thread server([&] {
    while (true) {
      if (const Descriptor asker = socket.accept(); asker) {
        std::vector<std::byte> bytes;
        EXPECT_TRUE(receive_frame(asker, bytes, 100000));
        std::ranges::reverse(bytes);
        EXPECT_TRUE(send_frame(asker, bytes));
        EXPECT_FALSE(receive_frame(asker, bytes, 10));  // too long
        return;
      }
      std::this_thread::yield();
    }
  });
  const Descriptor connection = connect_to(jobs()[0].folder + "/" + socket_name(0));
  ASSERT_TRUE(connection);
  std::vector<std::byte> sent(100000), got;
  sent.front() = std::byte{7};
  EXPECT_TRUE(send_frame(connection, sent));
  EXPECT_TRUE(receive_frame(connection, got, sent.size()));
  EXPECT_EQ(got.back(), std::byte{7});
  send_frame(connection, std::span(sent).first(11));  // as far as the other end takes it
  server.join();
}

TEST_F(JobSockets, ThatAreLeftOverAreDropped) {
  auto dead = std::make_unique<JobSocket>("dead", 0);
  const std::string path = jobs()[0].folder + "/" + socket_name(0);
  std::filesystem::create_hard_link(path, jobs()[0].folder + "/p1");  // stays when the socket is gone
  dead.reset();
  ASSERT_EQ(jobs().size(), 1U);
  EXPECT_EQ(jobs()[0].processes, std::vector<std::uint32_t>{1});
  FoundJob job = jobs()[0];
  EXPECT_FALSE(remove_stale_sockets(job));
  EXPECT_TRUE(jobs().empty());
}

TEST_F(JobSockets, ThatHaveGoneSinceTheyWereFoundAreDropped) {
  auto gone = std::make_unique<JobSocket>("here", 0);
  const JobSocket stays("here", 1);
  auto other = std::make_unique<JobSocket>("other", 0);
  std::vector<FoundJob> found = jobs();
  ASSERT_EQ(found.size(), 2U);
  gone.reset();
  other.reset();
  EXPECT_TRUE(remove_stale_sockets(found[0]));
  EXPECT_EQ(found[0].processes, std::vector<std::uint32_t>{1});
  EXPECT_FALSE(remove_stale_sockets(found[1]));
}

TEST_F(JobSockets, TakeNoPlaceThatSomebodyListensAt) {
  const JobSocket first("same", 0);
  EXPECT_THROW(JobSocket("same", 0), std::runtime_error);
  EXPECT_EQ(jobs().size(), 1U);
}

TEST_F(JobSockets, AreInNoFolderOfOthers) {
  std::filesystem::create_directory(above_ + "/weft");
  ::chmod((above_ + "/weft").c_str(), 0755);
  EXPECT_THROW(JobSocket("1", 0), std::runtime_error);
  EXPECT_TRUE(jobs().empty());
}

TEST_F(JobSockets, NeedAPathThatIsShortEnough) {
  above_ += "/" + std::string(100, 'x');
  std::filesystem::create_directory(above_);
  ::setenv("XDG_RUNTIME_DIR", above_.c_str(), 1);
  EXPECT_THROW(JobSocket("1", 0), std::runtime_error);
  above_ = std::filesystem::path(above_).parent_path();
}

TEST(JobNames, AreShortAndPlain) {
  EXPECT_TRUE(is_job_name("123"));
  EXPECT_TRUE(is_job_name("123@node-7.cluster"));
  for (const std::string& name : {std::string(), std::string(".."), std::string("a/b"), std::string("a b"),
                                  std::string("a\n"), std::string(65, 'a')}) {
    EXPECT_FALSE(is_job_name(name)) << name;
  }
}

}  // namespace
}  // namespace weft::inspect
