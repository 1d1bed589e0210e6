// A suspended rank is its ranges: at every yield its slot is emptied and made again from copied bytes, as for a move to
// another process.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/image/touched.hpp"
#include "tests/runtime/image/rank_host.hpp"

namespace weft::image {
namespace {

std::uint64_t largest = 0;  // bytes that one rank needed

void carry(const Program& program, Slot slot, const void* stack_pointer, const RankInfo& info) {
  program.trim(slot);
  const std::vector<ByteRange> all = program.ranges(slot, stack_pointer);
  for (std::size_t i = 1; i < all.size(); ++i) {
    ASSERT_LE(all[i - 1].offset + all[i - 1].bytes, all[i].offset);
  }
  const std::vector<ByteRange> parts = touched(slot, all);
  std::vector<std::byte> bytes;
  for (const ByteRange& r : parts) {
    bytes.insert(bytes.end(), slot.data() + r.offset, slot.data() + r.offset + r.bytes);
  }
  largest = std::max(largest, static_cast<std::uint64_t>(bytes.size()));
  program.release(slot);
  program.place_text(slot);
  std::size_t at = 0;
  for (const ByteRange& r : parts) {
    std::memcpy(slot.data() + r.offset, &bytes[at], r.bytes);
    at += r.bytes;
  }
  program.attach(slot, info);
}

class Carry : public testing::TestWithParam<const char*> {};

TEST_P(Carry, RankLivesOnFromItsRanges) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a stack with red zones cannot be copied";
#endif
  RankHostOptions options;
  options.ranks = 4;
  options.threads = 1;
  options.at_yield = &carry;
  largest = 0;
  EXPECT_EQ(run_ranks(test_program(GetParam()), options), std::vector<int>(4, 0));
  EXPECT_GT(largest, 8U << 10);
  EXPECT_LT(largest, 8U << 20);  // of 512 MiB in the sparse program
}

INSTANTIATE_TEST_SUITE_P(Programs, Carry,
                         testing::Values("c_globals.so", "cpp_globals.so", "fortran_globals.so", "shim_state.so",
                                         "sparse.so"),
                         [](const auto& program) {
                           const std::string file = program.param;
                           return file.substr(0, file.find('.'));
                         });

TEST(Touched, OnlyPagesThatExist) {
  const Region region(1, {0x400000000000, std::uint64_t{1} << 30});
  ProgramOptions options;
  options.overrides = host_functions();
  const auto program = Program::load(test_program("golden.so"), "", options);
  program->publish(region);
  const Slot slot = region.slot(0);
  program->place(slot, {});
  const std::uint64_t heap = program->layout().heap;
  slot[heap + 5 * kPage] = std::byte{1};
  slot[heap + 6 * kPage] = std::byte{1};
  slot[heap + 99 * kPage] = std::byte{1};
  const std::vector<ByteRange> asked = {{heap + kPage, 5 * kPage + 100}, {heap + 50 * kPage, 100 * kPage}};
  const std::vector<ByteRange> found = touched(slot, asked);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].offset, heap + 5 * kPage);
  EXPECT_EQ(found[0].bytes, kPage + 100);
  EXPECT_EQ(found[1].offset, heap + 99 * kPage);
  EXPECT_EQ(found[1].bytes, kPage);
  program->release(slot);
}

}  // namespace
}  // namespace weft::image
