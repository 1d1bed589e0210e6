#include "runtime/output/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <thread>

namespace weft::runtime {
namespace {

// An Output whose two streams end in temporary files.
class OutputTest : public ::testing::Test {
 protected:
  OutputTest() {
    for (auto& fd : fds_) {
      fd = ::open("/tmp", O_TMPFILE | O_RDWR, 0600);
      EXPECT_GE(fd, 0);
    }
  }
  ~OutputTest() override {
    ::close(fds_[0]);
    ::close(fds_[1]);
  }

  std::string written(int fd) const {
    std::string text(static_cast<std::size_t>(::lseek(fds_[static_cast<std::size_t>(fd - 1)], 0, SEEK_END)), '\0');
    EXPECT_EQ(::pread(fds_[static_cast<std::size_t>(fd - 1)], text.data(), text.size(), 0),
              static_cast<ssize_t>(text.size()));
    return text;
  }

  static void say(Output& output, std::uint32_t rank, std::string_view text, int fd = 1) {
    EXPECT_EQ(output.write(rank, fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  std::array<int, 2> fds_{};
};

TEST_F(OutputTest, PiecesOfALineComeOutTogether) {
  Output output(2, false, {fds_});
  say(output, 0, "one ");
  say(output, 1, "other\n");
  EXPECT_EQ(written(1), "other\n");
  say(output, 0, "line\nnext");
  EXPECT_EQ(written(1), "other\none line\n");
  output.flush(0);
  EXPECT_EQ(written(1), "other\none line\nnext");
}

TEST_F(OutputTest, TheTwoStreamsAreApart) {
  Output output(1, false, {fds_});
  say(output, 0, "out\n");
  say(output, 0, "err\n", 2);
  EXPECT_EQ(written(1), "out\n");
  EXPECT_EQ(written(2), "err\n");
}

TEST_F(OutputTest, ACarriageReturnEndsAProgressLine) {
  Output output(1, false, {fds_});
  say(output, 0, "10 %\r", 2);
  EXPECT_EQ(written(2), "10 %\r");
}

TEST_F(OutputTest, EveryLineIsTaggedOnce) {
  Output output(12, true, {fds_});
  say(output, 11, "a\nb");
  say(output, 11, "c\n");
  EXPECT_EQ(written(1), "[11] a\n[11] bc\n");
  say(output, 11, "unfinished");
  output.flush(11);
  say(output, 11, " business\n");
  EXPECT_EQ(written(1), "[11] a\n[11] bc\n[11] unfinished\n[11]  business\n");
}

TEST_F(OutputTest, AnEndOfLineForTheTagIsNotInTheRanksFile) {
  std::string folder = "/tmp/output_test_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  RankFiles files(folder, 1);
  files.make(0, false);
  Output output(1, true, {fds_});
  output.copy_to(files, false);
  say(output, 0, "Name? ");
  output.flush(0);
  say(output, 0, "all\nunfinished");
  output.flush(0);
  EXPECT_EQ(written(1), "[0] Name? \n[0] all\n[0] unfinished\n");
  std::ifstream stream(folder + "/1/rank.0/stdout");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "Name? all\nunfinished");
  std::filesystem::remove_all(folder);
}

TEST_F(OutputTest, TheEndWritesWhatIsUnfinished) {
  {
    Output output(3, false, {fds_});
    say(output, 2, "last words");
  }
  EXPECT_EQ(written(1), "last words");
}

TEST(Output, LosesNoLastWordsWhileTheReaderRests) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::string flood(std::size_t{1} << 19, 'x');  // more than a pipe holds
  std::string read;
  {
    Output output(2, false, {{ends[1], ends[1]}});
    std::thread writer([&] { output.write(0, 1, (flood + "\n").data(), flood.size() + 1); });
    pollfd begun{ends[0], POLLIN, 0};
    EXPECT_EQ(::poll(&begun, 1, -1), 1);
    std::thread last([&] {
      output.write(1, 1, "last words", 10);
      output.flush(1);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::string part(flood.size(), '\0');
    pollfd more{ends[0], POLLIN, 0};
    while (read.size() < flood.size() + 1 + 10 && ::poll(&more, 1, 60000) == 1) {
      const ssize_t size = ::read(ends[0], part.data(), part.size());
      read.append(part, 0, static_cast<std::size_t>(size));
    }
    writer.join();
    last.join();
  }
  EXPECT_TRUE(read == flood + "\nlast words") << read.size() << " bytes";
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(OutputTest, GatheredLinesComeOutSoonOrWithStandardErrorOrWhenAsked) {
  Output output(2, false, {.fds = {fds_[0], fds_[0]}, .buffers_lines = true});
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    say(output, static_cast<std::uint32_t>(i % 2), line);
    all += line;
  }
  say(output, 0, "error\n", 2);
  EXPECT_EQ(written(1), all + "error\n");
  say(output, 0, "a\n");
  say(output, 0, "b\n");
  EXPECT_EQ(output.write(0, 1, nullptr, 0), 0);
  EXPECT_EQ(written(1), all + "error\na\nb\n");
  for (int i = 0; i < 100; ++i) {
    say(output, 1, "x\n");
  }
  while (written(1).size() < all.size() + 6 + 4 + 200) {
    std::this_thread::yield();
  }
}

TEST_F(OutputTest, SaysThatNobodyReadsAndEndsAllTheSame) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::string flood(std::size_t{1} << 20, 'x');  // more than a pipe holds
  auto output = std::make_unique<Output>(
      2, false, OutputWriterConfig{.fds = {ends[1], fds_[1]}, .timeout = std::chrono::milliseconds(20)});
  std::thread writer([&] { output->write(0, 1, (flood + "\n").data(), flood.size() + 1); });
  while (written(2).empty()) {
    std::this_thread::yield();
  }
  EXPECT_EQ(written(2), "weft: standard output: nobody reads it, and ranks that print wait for that\n");
  say(*output, 1, "unfinished");
  output->flush_all();  // gives up
  std::string part(flood.size(), '\0');
  for (std::size_t read = 0; read < flood.size() + 1;) {
    read += static_cast<std::size_t>(::read(ends[0], part.data(), part.size()));
  }
  writer.join();
  output.reset();
  EXPECT_EQ(::read(ends[0], part.data(), part.size()), 10);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(OutputTest, AFailureIsToldOnce) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  Output output(1, false, {{full, fds_[1]}});
  EXPECT_EQ(output.write(0, 1, "x\n", 2), -1);
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_EQ(output.write(0, 1, "x\n", 2), -1);
  EXPECT_EQ(written(2), "weft: standard output: No space left on device\n");
  ::close(full);
}

TEST_F(OutputTest, OnlyRank0ReadsStandardInput) {
  Output output(2, false, {fds_});
  char byte = 0;
  EXPECT_EQ(output.read(1, &byte, 1), 0);
}

TEST_F(OutputTest, ABrokenStreamIsReported) {
  Output output(1, false, {{-1, -1}});
  EXPECT_EQ(output.write(0, 1, "x\n", 2), -1);
  EXPECT_EQ(errno, EBADF);
}

TEST_F(OutputTest, LinesOfManyThreadsAreWhole) {
  constexpr std::uint32_t kRanks = 8;
  constexpr int kLines = 300;
  Output output(kRanks, false, {fds_});
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      const std::string word(rank + 1, static_cast<char>('a' + rank));
      for (int i = 0; i < kLines; ++i) {
        say(output, rank, word);
        say(output, rank, word + "\n");
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  std::map<std::string, int> counts;
  std::istringstream lines(written(1));
  for (std::string line; std::getline(lines, line);) {
    ++counts[line];
  }
  EXPECT_EQ(counts.size(), kRanks);
  for (const auto& [line, count] : counts) {
    EXPECT_EQ(count, kLines) << line;
    EXPECT_EQ(line, std::string(line.size(), line.front()));
  }
}

}  // namespace
}  // namespace weft::runtime
