// The reserved range: where it is, how it is divided, and the message when it cannot be reserved.
#include "runtime/image/region.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/image/capacity.hpp"
#include "runtime/image/load_error.hpp"
#include "tests/runtime/image/rank_host.hpp"

namespace weft::image {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(std::uint32_t ranks, const RegionOptions& options = {}) {
  try {
    const Region region(ranks, options);
  } catch (const LoadError& error) {
    return error.what();
  }
  return {};
}

TEST(Region, SlotsAreSeventeenPagesLessThanAPowerOfTwo) {
  constexpr std::uint64_t kSkew = std::uint64_t{17} * 4096;
  EXPECT_EQ(Region(1).slot_size(), (std::uint64_t{16} << 40) - kSkew);
  EXPECT_EQ(Region(1024).slot_size(), (std::uint64_t{16} << 30) - kSkew);
  EXPECT_EQ(Region(50000).slot_size(), (std::uint64_t{256} << 20) - kSkew);
  EXPECT_EQ(Region(6, {0x400000000000, std::uint64_t{6} << 30}).slot_size(), (std::uint64_t{1} << 30) - kSkew);
}

TEST(Region, FindsTheRankOfAnAddress) {
  const Region region(10);
  EXPECT_EQ(region.rank_at(region.begin()), 0U);
  EXPECT_EQ(region.rank_at(region.slot(9).data() + region.slot_size() - 1), 9U);
  EXPECT_EQ(region.rank_at(region.begin() - 1), std::nullopt);
  EXPECT_EQ(region.rank_at(region.slot(9).data() + region.slot_size()), std::nullopt);
  EXPECT_EQ(region.rank_at(&region), std::nullopt);
}

TEST(Region, IsFreeAgainAfterwards) {
  { const Region region(2); }
  EXPECT_EQ(refusal(2), "");
}

TEST(Region, NamesTheMappingThatHoldsIt) {
  const RegionOptions options = {0x400000000000, std::uint64_t{1} << 30};
  void* const inside = reinterpret_cast<void*>(options.base + (1 << 20));
  void* const taken = mmap(inside, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(taken, inside);
  EXPECT_THAT(refusal(2, options), AllOf(HasSubstr("taken by \"400000100000-400000101000 r--p"), HasSubstr("base")));
  munmap(taken, 4096);
}

TEST(Region, NamesTheLimitOnAddressSpace) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer's own memory does not fit under the limit";
#endif
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit small = {std::uint64_t{64} << 30, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &small), 0);
  const std::string message = refusal(2);
  setrlimit(RLIMIT_AS, &before);
  EXPECT_THAT(message, AllOf(HasSubstr("65536 MiB"), HasSubstr("ulimit -v unlimited")));
}

TEST(Region, TooManyRanksForTheRange) {
  EXPECT_THAT(refusal(5000, {0x400000000000, std::uint64_t{1} << 30}), HasSubstr("too small for 5000 ranks"));
}

TEST(Region, SlotTooSmallForTheProgram) {
  const Region region(4, {0x400000000000, std::uint64_t{4} << 20});
  ProgramOptions options;
  options.overrides = host_functions();
  options.layout.stack_bytes = std::uint64_t{2} << 20;
  const auto program = Program::load(test_program("golden.so"), "", options);
  EXPECT_THROW(program->publish(region), LoadError);
}

// The range can be reserved at every process start, under the settings that change where the kernel places mappings.
class RegionStarts : public testing::TestWithParam<const char*> {};

TEST_P(RegionStarts, AlwaysSucceed) {
  const std::string once = std::string(GetParam()) + " " + WEFT_TEST_REGION_START + " 100";
  const int status = std::system(once.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127) {
    GTEST_SKIP() << "this machine does not allow: " << GetParam();
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

INSTANTIATE_TEST_SUITE_P(Settings, RegionStarts,
                         testing::Values("", "ulimit -s unlimited &&", "setarch -R", "setarch -L",
                                         "ulimit -s unlimited && setarch -L"));

TEST(Capacity, CountsMappingsAsTheKernelDoes) {
  ProgramOptions options;
  options.overrides = host_functions();
  for (const char* name : {"c_globals.so", "cpp_globals.so", "fortran_globals.so"}) {
    const auto program = Program::load(test_program(name), shim_path(), options);
    const std::uint64_t per_rank = program->layout().mappings_per_rank;
    constexpr std::uint32_t kRanks = 20;
    const Region region(kRanks);
    program->publish(region);
    const std::uint64_t before = capacity(1).used;
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      program->place(region.slot(r), {.rank = r});
    }
    const std::uint64_t after = capacity(1).used;
    // Ranks must not need more than the estimate. The last rank's neighbour is missing.
    EXPECT_LE(after - before, kRanks * per_rank + 2) << name;
    EXPECT_GE(after - before + kRanks, kRanks * per_rank) << name;
    EXPECT_LE(per_rank, name[1] == '_' ? 7U : 12U) << name;
  }
}

TEST(Capacity, RefusesMoreRanksThanFit) {
  const Capacity c = capacity(6);
  EXPECT_NO_THROW(check_capacity(c.ranks, 6));
  try {
    check_capacity(c.ranks + 1000, 6);
    FAIL();
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("needs 6 memory mappings"), HasSubstr("sysctl vm.max_map_count=")));
  }
}

}  // namespace
}  // namespace weft::image
