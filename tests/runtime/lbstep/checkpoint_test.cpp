// Checkpoint files, without ranks.
#include "runtime/lbstep/checkpoint.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace weft::runtime {
namespace {

namespace fs = std::filesystem;

// In a folder of files, and on a RAM disk.
class Checkpoint : public testing::TestWithParam<const char*> {
 protected:
  Checkpoint() { fs::remove_all(folder_); }
  ~Checkpoint() override { fs::remove_all(folder_); }

  // Number `steps`: one rank, each byte of whose memory is `value`.
  void write(std::uint64_t steps, std::size_t bytes, std::byte value) {
    std::vector<std::byte> memory(bytes, value);
    const std::span<std::byte> all(memory);
    CheckpointWriter writer(folder_, steps, 0, ram_files_);
    CheckpointIndex index;
    index.ranks = 1;
    index.steps = steps;
    index.entries.push_back(writer.add(0, std::vector<std::byte>(100, value), std::span(&all, 1)));
    writer.close();
    CheckpointWriter::publish(folder_, index);
  }

  std::vector<std::byte> memory() const {
    const CheckpointReader reader(folder_);
    std::vector<std::byte> memory(reader.entry(0).memory_bytes);
    const std::span<std::byte> all(memory);
    reader.memory(reader.entry(0), std::span(&all, 1));
    return memory;
  }

  const std::string folder_ = std::string(GetParam()) + "/checkpoint_test_" + std::to_string(::getpid());
  RamFiles ram_files_;
};

INSTANTIATE_TEST_SUITE_P(Folders, Checkpoint, testing::Values("/tmp", "/dev/shm"),
                         [](const auto& given) { return given.param == std::string("/tmp") ? "disk" : "memory"; });

TEST_P(Checkpoint, WritesOverTheOneBeforeTheLast) {
  write(1, 5'000'003, std::byte{1});
  EXPECT_FALSE(fs::exists(folder_ + "/spare"));
  write(2, 3'000'000, std::byte{2});
  EXPECT_TRUE(fs::exists(folder_ + "/spare/process-0"));
  write(3, 70'001, std::byte{3});
  EXPECT_EQ(fs::file_size(folder_ + "/checkpoint-3/process-0"), 70'129U);
  EXPECT_EQ(memory(), std::vector<std::byte>(70'001, std::byte{3}));
  write(4, 4'000'000, std::byte{4});
  EXPECT_EQ(memory(), std::vector<std::byte>(4'000'000, std::byte{4}));
  for (std::uint64_t steps = 5; steps < 12; ++steps) {  // as long as the files on a RAM disk and longer
    const std::size_t bytes = 3'000'000 + 300'000 * (steps % 4);
    write(steps, bytes, static_cast<std::byte>(steps));
    EXPECT_EQ(memory(), std::vector<std::byte>(bytes, static_cast<std::byte>(steps))) << steps;
  }
  CheckpointWriter::remove_spare(folder_);
  EXPECT_FALSE(fs::exists(folder_ + "/spare"));
}

// Also where others had rights to the file that is written over.
TEST_P(Checkpoint, IsItsUsersAlone) {
  const mode_t before = ::umask(0);
  write(1, 100, std::byte{1});
  write(2, 100, std::byte{2});
  ASSERT_EQ(::chmod((folder_ + "/spare/process-0").c_str(), 0666), 0);
  write(3, 100, std::byte{3});
  ::umask(before);
  for (const char* const name :
       {"/checkpoint-3/process-0", "/checkpoint-3/index", "/spare/process-0", "/spare/index"}) {
    struct stat its {};
    ASSERT_EQ(::stat((folder_ + name).c_str(), &its), 0) << name;
    EXPECT_EQ(its.st_mode & 0777U, 0600U) << name;
  }
}

TEST_P(Checkpoint, DoesNotWaitAtAFifo) {
  for (const char* const name : {"/checkpoint-1/index", "/checkpoint-1/process-0"}) {
    write(1, 100, std::byte{1});
    fs::remove(folder_ + name);
    ASSERT_EQ(::mkfifo((folder_ + name).c_str(), 0600), 0);
    try {
      (void)memory();
      FAIL() << name;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("it is no regular file"), std::string::npos) << error.what();
    }
  }
}

// Wherever in a block of the checksum's it is.
TEST_P(Checkpoint, NoticesEachAlteredByte) {
  write(1, 1003, std::byte{7});
  EXPECT_NO_THROW(memory());
  const std::string file = folder_ + "/checkpoint-1/process-0";
  for (const std::streamoff at : {128, 129, 137, 145, 153, 1028, 1129, 1130}) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(at).put(8).seekp(at);
    bytes.flush();
    EXPECT_THROW(memory(), std::runtime_error) << at;
    bytes.put(7);
  }
  EXPECT_NO_THROW(memory());
}

}  // namespace
}  // namespace weft::runtime
