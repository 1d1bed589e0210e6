// Checkpoint files, without ranks.
#include "runtime/lbstep/checkpoint.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "runtime/bootstrap/checkpoint_folder.hpp"

namespace weft::runtime {
namespace {

namespace fs = std::filesystem;

// The memory of a rank. A restart reads it back to the same addresses. It is page-aligned, as ranks' memory is.
std::span<std::byte> memory_of_rank(std::size_t bytes) {
  constexpr std::size_t kMost = std::size_t{8} << 20;
  static void* const place =
      ::mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT_LE(bytes, kMost);
  return {static_cast<std::byte*>(place), bytes};
}

// Writes checkpoint number `steps`, of one rank.
void write_to(const std::string& place, std::uint64_t steps, const std::vector<std::byte>& bytes, RamFiles& ram_files) {
  const std::span<std::byte> memory = memory_of_rank(bytes.size());
  std::ranges::copy(bytes, memory.begin());
  ImageContents images(true);
  CheckpointWriter writer(place, steps, 0, ram_files, CheckpointFiles::are_in_memory(place) ? &images : nullptr);
  CheckpointIndex index;
  index.ranks = 1;
  index.steps = steps;
  writer.add(0, std::vector<std::byte>(100, bytes.front()), std::span(&memory, 1));
  index.entries = writer.close();
  CheckpointWriter::publish(place, index);
}

std::vector<std::byte> read_from(const std::string& place) {
  const CheckpointReader reader(place);
  const std::span<std::byte> memory = memory_of_rank(reader.entry(0).memory_bytes);
  std::ranges::fill(memory, std::byte{});
  reader.memory(reader.entry(0), std::span(&memory, 1));
  EXPECT_EQ(reader.image(reader.entry(0)).size(), 100U);
  return {memory.begin(), memory.end()};
}

// While one exists no file can grow beyond 512 bytes.
class ShortFiles {
 public:
  ShortFiles() {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &limit_), 0);
    const rlimit small{512, limit_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  ~ShortFiles() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, handler_);
  }
  ShortFiles(const ShortFiles&) = delete;
  ShortFiles& operator=(const ShortFiles&) = delete;

 private:
  const sighandler_t handler_ = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit_{};
};

// Runs with a folder of files and with a RAM disk.
class Checkpoint : public testing::TestWithParam<const char*> {
 protected:
  Checkpoint() { fs::remove_all(folder_); }
  ~Checkpoint() override { fs::remove_all(folder_); }

  void write(std::uint64_t steps, std::size_t bytes, std::byte value) {
    write_to(folder_, steps, std::vector<std::byte>(bytes, value), ram_files_);
  }
  std::vector<std::byte> memory() const { return read_from(folder_); }

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
  EXPECT_EQ(fs::file_size(folder_ + "/checkpoint-3/process-0"), 73'828U);
  EXPECT_EQ(memory(), std::vector<std::byte>(70'001, std::byte{3}));
  write(4, 4'000'000, std::byte{4});
  EXPECT_EQ(memory(), std::vector<std::byte>(4'000'000, std::byte{4}));
  for (std::uint64_t steps = 5; steps < 12; ++steps) {  // as long as the files on a RAM disk and longer
    const std::size_t bytes = 3'000'000 + 300'000 * (steps % 4);
    write(steps, bytes, static_cast<std::byte>(steps));
    EXPECT_EQ(memory(), std::vector<std::byte>(bytes, static_cast<std::byte>(steps))) << steps;
  }
  bootstrap::CheckpointFolder(folder_).remove_spare();
  EXPECT_FALSE(fs::exists(folder_ + "/spare"));
}

TEST_P(Checkpoint, IsFoundByItsOwnPathToo) {
  write(40, 100, std::byte{4});
  for (const std::string& path : {folder_ + "/checkpoint-40", folder_ + "/checkpoint-40/"}) {
    EXPECT_EQ(read_from(path), std::vector<std::byte>(100, std::byte{4})) << path;
    EXPECT_TRUE(fs::equivalent(bootstrap::folder_of_checkpoints(path), folder_)) << path;
  }
}

// The index does not fit: no checkpoint is published, and the one before is still whole.
TEST_P(Checkpoint, LeavesNothingOpenWhenItCannotBeWritten) {
  write(1, 1000, std::byte{1});
  const auto open_files = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto before = open_files();
  CheckpointIndex index;
  index.steps = 2;
  index.entries.resize(1000);
  bootstrap::CheckpointFolder(folder_).begin(2);
  {
    const ShortFiles files_of_512_bytes;
    EXPECT_THROW(CheckpointWriter::publish(folder_, index), std::runtime_error);
  }
  EXPECT_EQ(open_files(), before);
  CheckpointWriter::discard(folder_, 2);
  EXPECT_EQ(CheckpointReader(folder_).index().steps, 1U);
}

// Also when others had access to the file that is overwritten.
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

// Wherever the byte is in a checksum block.
TEST_P(Checkpoint, NoticesEachAlteredByte) {
  write(1, 1003, std::byte{7});
  EXPECT_NO_THROW(memory());
  const std::string file = folder_ + "/checkpoint-1/process-0";
  for (const std::streamoff at : {0, 1, 9, 17, 25, 900, 1001, 1002}) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(at).put(8).seekp(at);
    bytes.flush();
    EXPECT_THROW(memory(), std::runtime_error) << at;
    bytes.put(7);
  }
  EXPECT_NO_THROW(memory());
}

// Memory files, as the launcher holds them for a job with --survive.
class CheckpointInMemory : public testing::Test {
 protected:
  CheckpointInMemory() {
    for (int& file : files_) {
      file = ::memfd_create("checkpoint_test", MFD_CLOEXEC);
    }
  }
  ~CheckpointInMemory() override {
    for (const int file : files_) {
      ::close(file);
    }
  }
  // The files of one process.
  std::string place() const { return "/proc/self/fd/" + std::to_string(files_[0]) + "," + std::to_string(files_[1]); }

  std::array<int, 2> files_{};
  RamFiles ram_files_;
};

TEST_F(CheckpointInMemory, IsWrittenOver) {
  EXPECT_TRUE(CheckpointFiles::are_in_memory(place()));
  for (std::uint64_t steps = 1; steps < 8; ++steps) {
    const std::vector<std::byte> bytes(1'000'000 + 300'000 * (steps % 3), static_cast<std::byte>(steps));
    write_to(place(), steps, bytes, ram_files_);
    EXPECT_EQ(read_from(place()), bytes) << steps;
    EXPECT_EQ(CheckpointReader(place()).index().steps, steps);
  }
}

TEST_F(CheckpointInMemory, GivesItsMemoryBack) {
  write_to(place(), 1, std::vector<std::byte>(1'000'000), ram_files_);
  EXPECT_GE(CheckpointFiles(place()).bytes_in_memory(), 1'000'000U);
  CheckpointWriter::discard(place(), 1);
  EXPECT_EQ(CheckpointFiles(place()).bytes_in_memory(), 0U);
  EXPECT_THROW(CheckpointReader{place()}, std::runtime_error);
  write_to(place(), 2, std::vector<std::byte>(2'000'000, std::byte{2}), ram_files_);
  EXPECT_EQ(read_from(place()), std::vector<std::byte>(2'000'000, std::byte{2}));
}

// The image is read through a mapping.
TEST_F(CheckpointInMemory, NoticesAlteredAndMissingBytes) {
  constexpr std::size_t kBytes = 1'000'003;
  write_to(place(), 1, std::vector<std::byte>(kBytes, std::byte{7}), ram_files_);
  for (const off_t at : {0, 500'000, 1'000'002}) {
    ASSERT_EQ(::pwrite(files_[1], "x", 1, at), 1);
    EXPECT_THROW(read_from(place()), std::runtime_error) << at;
    ASSERT_EQ(::pwrite(files_[1], "\a", 1, at), 1);  // a 7
  }
  EXPECT_NO_THROW(read_from(place()));
  ASSERT_EQ(::ftruncate(files_[1], 999'999), 0);
  try {
    read_from(place());
    FAIL() << "its end is missing";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("it is cut short"), std::string::npos) << error.what();
  }
}

TEST_F(CheckpointInMemory, HasNoFileForAnotherProcess) {
  EXPECT_THROW((void)CheckpointFiles(place()).of_process(1), std::runtime_error);
  EXPECT_FALSE(CheckpointFiles::are_in_memory("/tmp/fd/3,4"));
  EXPECT_FALSE(CheckpointFiles::are_in_memory("folder"));
}

}  // namespace
}  // namespace weft::runtime
