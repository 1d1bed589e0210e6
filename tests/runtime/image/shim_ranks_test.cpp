// Programs whose ranks use the shim's part of the C library, loaded and run by the image loader.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/runtime/image/rank_host.hpp"

namespace weft::image {
namespace {

struct Outcome {
  std::vector<int> codes;
  std::string out, err;
};

Outcome run(const std::string& program, std::uint32_t ranks, unsigned threads, const char* which = "") {
  setenv("SHIM_TEST_CASE", which, 1);
  RankHostOptions options;
  options.ranks = ranks;
  options.threads = threads;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.codes = run_ranks(test_program(program), options);
  std::fflush(nullptr);
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = without_sanitizer_lines(testing::internal::GetCapturedStderr());
  return outcome;
}

std::vector<int> all_zero(std::size_t n) { return std::vector<int>(n, 0); }

class ShimRanks : public testing::TestWithParam<unsigned> {};

TEST_P(ShimRanks, KeepTheirOwnLibraryState) {
  const Outcome outcome = run("shim_state.so", 8, GetParam());
  EXPECT_EQ(outcome.codes, all_zero(8)) << outcome.err;
}

TEST_P(ShimRanks, MayHaveThreadsWithTheirOwnThreadLocals) {
  const Outcome outcome = run("shim_cpp.so", 3, GetParam());
  EXPECT_EQ(outcome.codes, all_zero(3)) << outcome.err;
}

TEST_P(ShimRanks, MapMemoryOfTheirOwn) {
  const Outcome outcome = run("shim_mappings.so", 4, GetParam());
  EXPECT_EQ(outcome.codes, all_zero(4)) << outcome.err;
}

TEST_P(ShimRanks, MapFilesThatCanBeMappedAgain) {
  const Outcome outcome = run("shim_file_mappings.so", 4, GetParam());
  EXPECT_EQ(outcome.codes, all_zero(4)) << outcome.err;
}

TEST_P(ShimRanks, MayUseOpenMp) {
  const Outcome outcome = run("shim_openmp.so", 4, GetParam());
  EXPECT_EQ(outcome.codes, all_zero(4)) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Threads, ShimRanks, testing::Values(1U, 2U, 4U));

TEST(ShimAlone, ParsesOptionsAndDrawsNumbersAsTheCLibraryDoes) {
  const Outcome outcome = run("shim_like_libc.so", 1, 1);
  ASSERT_EQ(outcome.codes, all_zero(1)) << outcome.err;
  std::istringstream lines(outcome.err);
  std::vector<std::string> messages;
  for (std::string line; std::getline(lines, line);) {
    messages.push_back(line);
  }
  // Each parse may print several messages, and the two sources interleave. As sorted sets the lines must be equal
  // pairs.
  std::ranges::sort(messages);
  ASSERT_GT(messages.size(), 100U);
  ASSERT_EQ(messages.size() % 2, 0U);
  for (std::size_t i = 0; i < messages.size(); i += 2) {
    EXPECT_EQ(messages[i], messages[i + 1]);
  }
}

TEST(ShimAlone, WritesByEveryCall) {
  const Outcome outcome = run("shim_output.so", 1, 1, "lines");
  EXPECT_EQ(outcome.codes, all_zero(1));
  EXPECT_EQ(outcome.out,
            "printf 1\nputs\npcfputs\nfwrite\nwrite\nwritev\ndprintf\nwprintf wide\nwide\nbuffered to the end\n"
            "atexit: registered second\non_exit: 0 text\natexit: registered first, runs last\n");
  EXPECT_NE(outcome.err.find("perror: No such file or directory\n"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("shim_output.so: warnx 1\n"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("fileno 0 1 2\n"), std::string::npos) << outcome.err;
}

TEST(ShimAlone, RedirectsItsOwnStreamsOnly) {
  const Outcome outcome = run("shim_output.so", 1, 1, "redirect");
  EXPECT_EQ(outcome.codes, all_zero(1)) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "to stderr\natexit: registered second\non_exit: 0 text\natexit: registered first, runs last\n");
}

TEST(ShimAlone, StreamsOfStandardDescriptorsDoNotCloseThem) {
  for (int round = 0; round < 2; ++round) {
    const Outcome outcome = run("shim_output.so", 1, 1, "open again");
    EXPECT_EQ(outcome.codes, all_zero(1)) << outcome.err;
    for (const char* line : {"by another stream\n", "left open\n", "atexit: registered second\n"}) {
      EXPECT_NE(outcome.out.find(line), std::string::npos) << line;
    }
  }
}

// The last handler exits, which gives the thread its mask back.
TEST(ShimAlone, LeavesSignalHandlersByJumpsAndExit) {
  const Outcome outcome = run("shim_signals.so", 1, 1);
  EXPECT_EQ(outcome.codes, all_zero(1)) << outcome.err;
  EXPECT_EQ(outcome.out, "no signal is blocked at exit\n");
}

TEST(ShimAlone, ExitRunsHandlersInReverseAndFlushes) {
  const Outcome outcome = run("shim_output.so", 1, 1, "exit");
  EXPECT_EQ(outcome.codes, std::vector<int>{3});
  EXPECT_EQ(outcome.out,
            "unfinished lineatexit: registered second\non_exit: 3 text\natexit: registered first, runs last\n");
}

TEST(ShimAlone, UnderscoreExitRunsNoHandlers) {
  const Outcome outcome = run("shim_output.so", 1, 1, "_exit");
  EXPECT_EQ(outcome.codes, std::vector<int>{4});
  EXPECT_EQ(outcome.out, "a line\n");
  EXPECT_EQ(run("shim_output.so", 1, 1, "quick_exit").codes, std::vector<int>{5});
}

TEST(ShimAlone, ForksAChildThatExitsAlone) {
  const Outcome outcome = run("shim_output.so", 1, 1, "fork");
  EXPECT_EQ(outcome.codes, all_zero(1)) << outcome.err;
  EXPECT_EQ(outcome.out.find("from the child\n"), outcome.out.rfind("from the child\n"));
  EXPECT_NE(outcome.out.find("from the child\n"), std::string::npos);
  EXPECT_NE(outcome.out.find("from the parent\n"), std::string::npos);
}

TEST(ShimAlone, FlushesCppStreamsAndRunsDestructors) {
  const Outcome outcome = run("shim_cpp.so", 1, 1);
  EXPECT_EQ(outcome.codes, all_zero(1)) << outcome.err;
  EXPECT_EQ(outcome.out, "cout 1.5\nwcout\nnot flushed\ndestroyed local\ndestroyed global\n");
  EXPECT_EQ(outcome.err, "cerr 2\nclog\n");
}

TEST(ShimAlone, NamesWhatPinsARankAndClosesWhatItLeftOpen) {
  const std::string path = testing::TempDir() + "shim-left-open-" + std::to_string(getpid());
  setenv("SHIM_TEST_FILE", path.c_str(), 1);
  const Outcome outcome = run("shim_pinned.so", 2, 1);
  EXPECT_EQ(outcome.codes, all_zero(2)) << outcome.err;
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  std::ranges::sort(lines);
  EXPECT_EQ(lines, (std::vector<std::string>{"rank 0", "rank 1"}));
  std::remove(path.c_str());
}

struct Misuse {
  const char* which;
  const char* message;
};

void PrintTo(const Misuse& misuse, std::ostream* out) { *out << misuse.which; }

class ShimMisuseDeathTest : public testing::TestWithParam<Misuse> {};

TEST_P(ShimMisuseDeathTest, NamesTheRank) {
  setenv("SHIM_TEST_CASE", GetParam().which, 1);
  setenv("SHIM_TEST_SLOT", std::to_string(Region(2).slot_size()).c_str(), 1);
  RankHostOptions options;
  options.ranks = 2;
  options.threads = 1;
  EXPECT_DEATH(run_ranks(test_program("shim_misuse.so"), options), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, ShimMisuseDeathTest,
    testing::Values(Misuse{"double free", "rank 1: heap error at 0x[0-9a-f]+: the block is free already"},
                    Misuse{"overrun", "rank 1: heap error .*wrote past the end of the block"},
                    Misuse{"variable", "rank 1: heap error .*variable of the program"},
                    Misuse{"stack", "rank 1: heap error .*points into the stack"},
                    Misuse{"other rank", "rank 1: free\\(0x[0-9a-f]+\\): the memory belongs to rank 0"},
                    Misuse{"abort", "rank 1: abort\\(\\) was called"},
                    Misuse{"assert",
                           "rank 1: .*shim_misuse.c:[0-9]+: (int )?main(\\(void\\))?: assertion 'behind == .*failed"}),
    [](const auto& test) {
      std::string name = test.param.which;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

}  // namespace
}  // namespace weft::image
