// A suspended rank consists of its ranges. At every yield its slot is emptied and restored from copied bytes, as for a
// move to another process.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/image/touched_ranges.hpp"
#include "tests/runtime/image/rank_host.hpp"

namespace weft::image {
namespace {

std::uint64_t largest = 0;  // bytes that one rank needed

void move_by_copy(const Program& program, Slot slot, const void* stack_pointer, const RankInfo& info) {
  program.shim().trim(slot);
  const std::vector<ByteRange> all = program.ranges(slot, stack_pointer);
  for (std::size_t i = 1; i < all.size(); ++i) {
    ASSERT_LE(all[i - 1].offset + all[i - 1].bytes, all[i].offset);
  }
  const std::vector<ByteRange> parts = touched_ranges(slot, all);
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

class Ranges : public testing::TestWithParam<const char*> {};

TEST_P(Ranges, RankLivesOnFromItsRanges) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a stack with red zones cannot be copied";
#endif
  RankHostOptions options;
  options.ranks = 4;
  options.threads = 1;
  options.at_yield = &move_by_copy;
  largest = 0;
  EXPECT_EQ(run_ranks(test_program(GetParam()), options), std::vector<int>(4, 0));
  EXPECT_GT(largest, 8U << 10);
  EXPECT_LT(largest, 8U << 20);  // of 512 MiB in the sparse program
}

INSTANTIATE_TEST_SUITE_P(Programs, Ranges,
                         testing::Values("c_globals.so", "cpp_globals.so", "fortran_globals.so", "shim_state.so",
                                         "sparse.so", "coroutine.so"),
                         [](const auto& program) {
                           const std::string file = program.param;
                           return file.substr(0, file.find('.'));
                         });

class Touched : public testing::Test {
 protected:
  Touched() {
    program_->publish(region_);
    heap_ = program_->layout().heap;
    program_->place(slot_, {});
  }
  ~Touched() override { program_->release(slot_); }

  static std::unique_ptr<Program> load() {
    ProgramOptions options;
    options.overrides = host_functions();
    return Program::load(test_program("golden.so"), "", options);
  }

  const Region region_{1, {0x400000000000, std::uint64_t{1} << 30}};
  const std::unique_ptr<Program> program_ = load();
  const Slot slot_ = region_.slot(0);
  std::uint64_t heap_ = 0;  // slot offset, known once the program has a region
};

TEST_F(Touched, OnlyPagesThatExist) {
  slot_[heap_ + 5 * kPage] = std::byte{1};
  slot_[heap_ + 6 * kPage] = std::byte{1};
  slot_[heap_ + 99 * kPage] = std::byte{1};
  const std::vector<ByteRange> asked = {{heap_ + kPage, 5 * kPage + 100}, {heap_ + 50 * kPage, 100 * kPage}};
  const std::vector<ByteRange> found = touched_ranges(slot_, asked);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].offset, heap_ + 5 * kPage);
  EXPECT_EQ(found[0].bytes, kPage + 100);
  EXPECT_EQ(found[1].offset, heap_ + 99 * kPage);
  EXPECT_EQ(found[1].bytes, kPage);
}

TEST_F(Touched, WrittenBytesAreNoFilesPages) {
  const std::optional<std::uint64_t> before = written_bytes(slot_);
  if (!before) {
    GTEST_SKIP() << "the kernel is older than Linux 6.7";
  }
  EXPECT_GT(*before, 0U);  // its data
  constexpr std::uint64_t kPages = 3;
  for (std::uint64_t i = 0; i < kPages; ++i) {
    slot_[heap_ + (10 + 20 * i) * kPage] = std::byte{1};
  }
  EXPECT_EQ(*written_bytes(slot_), *before + kPages * kPage);
  program_->release(slot_);
  EXPECT_EQ(*written_bytes(slot_), 0U);
  program_->place(slot_, {});
}

// Memory of the rank may be in huge pages.
TEST_F(Touched, NoLongStretchesOfZeros) {
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  const std::uint64_t first = (heap_ + kHugePage - 1) / kHugePage * kHugePage;
  std::memset(slot_.data() + first, 0, 3 * kHugePage);
  std::memset(slot_.data() + first + kHugePage, 1, kHugePage);  // the second is full
  slot_[first + 100 * kPage] = std::byte{1};
  slot_[first + 103 * kPage + 5] = std::byte{1};
  slot_[first + 3 * kHugePage - 1] = std::byte{1};
  const std::vector<ByteRange> asked = {{first, 3 * kHugePage}};
  const std::vector<ByteRange> found = touched_ranges(slot_, asked);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].offset, first + 100 * kPage);
  EXPECT_EQ(found[0].bytes, 4 * kPage);
  EXPECT_EQ(found[1].offset, first + kHugePage);
  EXPECT_EQ(found[1].bytes, kHugePage);
  EXPECT_EQ(found[2].offset, first + 3 * kHugePage - kPage);
  EXPECT_EQ(found[2].bytes, kPage);
}

}  // namespace
}  // namespace weft::image
