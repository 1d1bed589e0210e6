// A rank inspected from the host: its stack, and names for its addresses.
#include "runtime/image/unwind.hpp"

#include <execinfo.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <string>

#include "runtime/image/debug_table.h"
#include "runtime/image/describe.hpp"
#include "runtime/image/readable_name.hpp"
#include "tests/runtime/image/rank_host.hpp"

namespace weft::image {
namespace {

std::vector<std::string> seen;        // descriptions of the frames that host_look() found
std::vector<std::string> seen_files;  // objects that dl_iterate_phdr() names
std::uint32_t seen_rank = 99;

int note_file(dl_phdr_info* info, std::size_t, void*) {
  seen_files.emplace_back(info->dlpi_name);
  return 0;
}

void host_look(void* function) {
  void* frames[32];
  const int count = backtrace(frames, 32);
  char text[200];
  for (int i = 0; i < count; ++i) {
    seen.emplace_back(describe(static_cast<char*>(frames[i]) - 1, text, sizeof text));
  }
  const auto found = find_image(reinterpret_cast<std::uint64_t>(function));
  seen_rank = found ? found->rank : 99;
  dl_iterate_phdr(&note_file, nullptr);
}

TEST(Unwind, BacktraceOfTheHostSeesRankFrames) {
  void* warm_up[4];
  backtrace(warm_up, 4);  // loads the unwinder
  RankHostOptions options;
  options.ranks = 1;
  options.threads = 1;
  options.program.overrides["host_look"] = reinterpret_cast<void*>(&host_look);
  EXPECT_EQ(run_ranks(test_program("backtrace.so"), options), std::vector<int>{0});
  const auto frame = [](const char* name) { return testing::StartsWith(std::string(name) + "+0x"); };
  EXPECT_THAT(seen, testing::Contains(frame("deepest")));
  EXPECT_THAT(seen, testing::Contains(frame("middle")));
  EXPECT_THAT(seen, testing::Contains(testing::AllOf(frame("main"), testing::HasSubstr("(backtrace.so)"))));
  EXPECT_EQ(seen_rank, 0U);
  ASSERT_FALSE(seen_files.empty());
  EXPECT_THAT(seen_files.front(), testing::HasSubstr("backtrace.so"));
  EXPECT_GT(seen_files.size(), 3U);
}

TEST(Describe, NamesHostFunctionsAndBareAddresses) {
  char text[100];
  EXPECT_THAT(describe(reinterpret_cast<void*>(&getppid), text, sizeof text), testing::HasSubstr("libc.so.6"));
  EXPECT_STREQ(describe(reinterpret_cast<void*>(0x1234), text, sizeof text), "0x1234");
  char tiny[4];
  EXPECT_EQ(std::strlen(describe(reinterpret_cast<void*>(0x1234), tiny, sizeof tiny)), 3U);
}

TEST(Describe, NamesOwnFunctionsThatAreNotExported) {
  char text[200];
  read_own_names();
  EXPECT_THAT(describe(reinterpret_cast<const void*>(&host_look), text, sizeof text),
              testing::StartsWith("weft::image::(anonymous)::host_look+0"));
}

TEST(ReadableName, IsWhatTheAuthorWrote) {
  const std::map<std::string, std::string> names{
      {"_ZN4weft7runtime4waitERNS0_4RankE", "weft::runtime::wait"},
      {"_ZNK4weft5image6Region4slotEj", "weft::image::Region::slot"},
      {"_ZN12_GLOBAL__N_15visitEP15_Unwind_ContextPv", "(anonymous)::visit"},
      {"_ZN4weft7runtime6WorkerC2Ej", "weft::runtime::Worker::Worker"},
      {"_ZN4weft7runtime6WorkerD1Ev", "weft::runtime::Worker::~Worker"},
      {"_ZL8store_atPVi", "store_at"},
      {"_Z3sumi.constprop.0", "sum"},
      {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<>::push_back"},
      {"_ZN3BoxIN2ab1cELb1EEC1Ev", "Box<>::Box"},
      {"_ZN1aplERKS_", "_ZN1aplERKS_"},
      {"main", "main"},
      {"_Z", "_Z"},
      {"_ZN99xE", "_ZN99xE"},
      {"", ""},
  };
  char text[100];
  for (const auto& [symbol, name] : names) {
    EXPECT_EQ(readable_name(symbol.c_str(), text, sizeof text), name);
  }
  char tiny[4];
  EXPECT_STREQ(readable_name("_ZN4weft4waitEv", tiny, sizeof tiny), "_ZN");
}

TEST(DebugTable, IsEmptyWithoutAProgram) {
  EXPECT_EQ(published_program(), nullptr);
  EXPECT_EQ(weft_debug.image_count, 0U);
  EXPECT_EQ(find_image(0x400000000000), std::nullopt);
}

TEST(DebugTable, DescribesThePublishedProgram) {
  const Region region(4);
  ProgramOptions options;
  options.overrides = host_functions();
  const auto program = Program::load(test_program("golden.so"), "", options);
  program->publish(region);
  EXPECT_EQ(weft_debug.version, WEFT_DEBUG_VERSION);
  EXPECT_EQ(weft_debug.slot_size, region.slot_size());
  ASSERT_EQ(weft_debug.image_count, 1U);
  const std::uint64_t image = weft_debug.region + 2 * weft_debug.slot_size + weft_debug.images[0].offset;
  const auto found = find_image(image + weft_debug.images[0].span - 1);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rank, 2U);
  EXPECT_EQ(found->begin, image);
  EXPECT_EQ(find_image(image + weft_debug.images[0].span), std::nullopt);
}

std::uint64_t guard_bytes(const Program& program) { return program.layout().stack_low - program.layout().guard; }

TEST(StackGuard, KnowsItsAddresses) {
  const Region region(4);
  ProgramOptions options;
  options.overrides = host_functions();
  const auto program = Program::load(test_program("golden.so"), "", options);
  EXPECT_FALSE(is_in_stack_guard(0x400000000000));
  program->publish(region);
  for (std::uint32_t rank : {0U, 3U}) {
    const auto low = reinterpret_cast<std::uint64_t>(program->stack(region.slot(rank)).data());
    EXPECT_TRUE(is_in_stack_guard(low - 1));
    EXPECT_TRUE(is_in_stack_guard(low - guard_bytes(*program)));
    EXPECT_FALSE(is_in_stack_guard(low));
    EXPECT_FALSE(is_in_stack_guard(low - guard_bytes(*program) - 1));
  }
  EXPECT_FALSE(is_in_stack_guard(0));
}

TEST(StackGuard, HasHalfOfWhatTheSlotLeaves) {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  ProgramOptions options;
  options.overrides = host_functions();
  options.layout.stack_bytes = 8 * kMiB;
  const std::pair<std::uint32_t, std::uint64_t> expected[] = {{3, 2000 * kGiB}, {5000, kGiB}, {50000, 120 * kMiB}};
  for (const auto& [ranks, bytes] : expected) {
    const Region region(ranks);
    const auto program = Program::load(test_program("golden.so"), "", options);
    program->publish(region);
    const std::uint64_t heap = program->heap(region.slot(0)).size();
    EXPECT_GE(guard_bytes(*program), bytes) << ranks;
    EXPECT_LE(guard_bytes(*program), heap) << ranks;
    EXPECT_GE(guard_bytes(*program) + kMiB, heap) << ranks;
    EXPECT_EQ(program->stack(region.slot(0)).size(), options.layout.stack_bytes);
  }
}

TEST(StackGuard, IsThereInTheSmallestSlot) {
  ProgramOptions options;
  options.overrides = host_functions();
  options.layout.stack_bytes = 128 << 10;
  const auto program = Program::load(test_program("golden.so"), "", options);
  const Region region(1, {.size = std::uint64_t{1} << 20});
  program->publish(region);
  EXPECT_GE(guard_bytes(*program), kSmallestGuard);
  EXPECT_LE(program->layout().heap + kSmallestHeap, region.slot_size());
}

TEST(StackOverflowDeathTest, KillsBeforeTheNextRankIsHarmed) {
  const auto overflow = [] {
    RankHostOptions options;
    options.ranks = 2;
    options.program.layout.stack_bytes = 128 << 10;  // the sparse program needs 300 KiB
    run_ranks(test_program("sparse.so"), options);
  };
  EXPECT_DEATH(overflow(), "");
}

}  // namespace
}  // namespace weft::image
