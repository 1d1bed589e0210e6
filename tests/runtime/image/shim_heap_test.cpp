#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "runtime/image/libc_shim/heap.hpp"

namespace weft::shim {
namespace {

[[noreturn]] void die(Fault fault, const void*) {
  static constexpr const char* kNames[] = {"not a block", "double free", "corrupted", "overrun", "free list"};
  std::fprintf(stderr, "fault: %s\n", kNames[static_cast<int>(fault)]);
  std::abort();
}

class HeapTest : public testing::Test {
 protected:
  explicit HeapTest(std::size_t capacity = std::size_t{1} << 30) : capacity_(capacity) {
    base_ = mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    heap_ = Heap::create(base_, capacity_, die);
    empty_top_ = heap_->top();
  }
  ~HeapTest() override { munmap(base_, capacity_); }

  // Nothing is left: every block merged with its neighbours back into the untouched part.
  void expect_empty() {
    heap_->trim();
    EXPECT_TRUE(heap_->is_sound());
    EXPECT_EQ(heap_->top(), empty_top_);
    EXPECT_EQ(heap_->usage().free, 0U);
  }

  std::size_t resident_pages() const {
    std::vector<unsigned char> pages(capacity_ / 4096);
    mincore(base_, capacity_, pages.data());
    std::size_t count = 0;
    for (unsigned char page : pages) {
      count += page & 1U;
    }
    return count;
  }

  std::size_t capacity_;
  void* base_;
  Heap* heap_;
  char* empty_top_;
};

class SmallHeapTest : public HeapTest {
 protected:
  SmallHeapTest() : HeapTest(std::size_t{1} << 20) {}
};

// A block that remembers what its bytes must be.
struct Piece {
  unsigned char* bytes;
  std::size_t size;
  unsigned char mark;

  void fill() { std::memset(bytes, mark, size); }
  // First, last and some bytes between.
  bool is_intact(std::size_t upto) const {
    for (std::size_t i = 0; i < upto; i += 1 + upto / 16) {
      if (bytes[i] != mark) {
        return false;
      }
    }
    return upto == 0 || bytes[upto - 1] == mark;
  }
};

// Random calls, with every block's contents, alignment and zeros checked.
class Fuzzer {
 public:
  Fuzzer(Heap& heap, unsigned seed) : heap_(heap), random_(seed) {}

  void step() {
    if (pieces_.size() < 2000 && random_() % 1000 < 520) {
      add();
    } else if (!pieces_.empty()) {
      const std::size_t index = random_() % pieces_.size();
      random_() % 4 == 0 ? resize(pieces_[index]) : drop(index);
    }
  }
  void drop_all() {
    while (!pieces_.empty()) {
      drop(pieces_.size() - 1);
    }
  }

 private:
  std::size_t any_size() {
    const std::size_t kind = random_() % 1000;
    return kind == 0 ? random_() % (4U << 20) : kind < 100 ? random_() % 40000 : random_() % 600;
  }

  void add() {
    const std::size_t size = any_size();
    const std::size_t alignment = std::size_t{1} << random_() % 14;
    void* memory = nullptr;
    const bool zeroed = random_() % 4 == 0;
    if (zeroed) {
      memory = heap_.allocate_zeroed(size);
    } else {
      memory = random_() % 4 == 0 ? heap_.allocate_aligned(alignment, size) : heap_.allocate(size);
    }
    ASSERT_NE(memory, nullptr);
    ASSERT_EQ(reinterpret_cast<std::size_t>(memory) % 16, 0U);
    ASSERT_GE(Heap::usable(memory), size);
    Piece piece{static_cast<unsigned char*>(memory), size, 0};
    ASSERT_TRUE(!zeroed || piece.is_intact(size));
    piece.mark = static_cast<unsigned char>(random_());
    piece.fill();
    pieces_.push_back(piece);
  }

  void resize(Piece& piece) {
    const std::size_t size = any_size();
    auto* moved = static_cast<unsigned char*>(heap_.resize(piece.bytes, size));
    ASSERT_NE(moved, nullptr);
    piece.bytes = moved;
    ASSERT_TRUE(piece.is_intact(std::min(size, piece.size)));
    piece.size = size;
    piece.fill();
  }

  void drop(std::size_t index) {
    ASSERT_TRUE(pieces_[index].is_intact(pieces_[index].size));
    heap_.release(pieces_[index].bytes);
    pieces_[index] = pieces_.back();
    pieces_.pop_back();
  }

  Heap& heap_;
  std::mt19937 random_;
  std::vector<Piece> pieces_;
};

TEST_F(HeapTest, KeepsEveryBlockIntactUnderRandomCalls) {
  const unsigned seed = std::random_device()();
  RecordProperty("seed", static_cast<int>(seed));
  std::printf("seed %u\n", seed);
  Fuzzer fuzzer(*heap_, seed);
  for (int i = 0; i < 3'000'000; ++i) {
    fuzzer.step();
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", step " << i;
    if (i % 100'000 == 0) {
      ASSERT_TRUE(heap_->is_sound()) << "seed " << seed << ", step " << i;
    }
  }
  fuzzer.drop_all();
  expect_empty();
}

TEST_F(HeapTest, AlignsAsAsked) {
  for (std::size_t alignment = 1; alignment <= (std::size_t{1} << 20); alignment *= 2) {
    void* p = heap_->allocate_aligned(alignment, 100);
    EXPECT_EQ(reinterpret_cast<std::size_t>(p) % alignment, 0U);
    heap_->release(p);
  }
  expect_empty();
}

// Whether the system was asked for huge pages at this address: a flag of its mapping.
bool asked_for_huge_pages(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      const auto at = reinterpret_cast<std::uint64_t>(address);
      here = begin <= at && at < end;
    } else if (here && line.starts_with("VmFlags:")) {
      return line.find(" hg") != std::string::npos;
    }
  }
  return false;
}

TEST_F(HeapTest, AsksForHugePagesWhereMuchIsInUse) {
  char* const small = static_cast<char*>(heap_->allocate(std::size_t{3} << 20));
  EXPECT_FALSE(asked_for_huge_pages(small + (std::size_t{2} << 20)));
  char* const large = static_cast<char*>(heap_->allocate(std::size_t{20} << 20));
  const bool kernel_knows_them = std::filesystem::exists("/sys/kernel/mm/transparent_hugepage");
  EXPECT_EQ(asked_for_huge_pages(large + (std::size_t{10} << 20)), kernel_knows_them);
  EXPECT_FALSE(asked_for_huge_pages(large + (std::size_t{24} << 20)));  // beyond the top
  // Allocates as much again, in small pieces.
  for (int i = 0; i < 20; ++i) {
    heap_->allocate(std::size_t{1} << 20);
  }
  EXPECT_EQ(asked_for_huge_pages(large + (std::size_t{36} << 20)), kernel_knows_them);
}

TEST_F(HeapTest, GrowsTheLastBlockInPlace) {
  void* p = heap_->allocate(5000);
  EXPECT_EQ(heap_->resize(p, 50'000'000), p);
  EXPECT_EQ(heap_->resize(p, 5000), p);
  heap_->release(p);
  expect_empty();
}

TEST_F(HeapTest, LeavesUntouchedMemoryUntouched) {
  const std::size_t before = resident_pages();
  void* p = heap_->allocate_zeroed(std::size_t{256} << 20);
  EXPECT_LE(resident_pages(), before + 1);
  heap_->release(p);
}

TEST_F(HeapTest, GivesThePagesOfLargeFreeBlocksBack) {
  constexpr std::size_t kSize = std::size_t{100} << 20;
  void* low = heap_->allocate(kSize);
  void* high = heap_->allocate(16);
  std::memset(low, 1, kSize);
  heap_->release(low);
  EXPECT_LT(resident_pages(), 1000U) << "a hole between blocks";
  void* last = heap_->allocate(2 * kSize);
  std::memset(last, 1, 2 * kSize);
  heap_->release(last);
  EXPECT_LT(resident_pages(), 1000U) << "the tail";
  heap_->release(high);
  expect_empty();
}

TEST_F(HeapTest, TrimGivesThePagesOfSmallerFreeBlocksBack) {
  constexpr std::size_t kSize = std::size_t{32} << 10;
  std::array<void*, 400> pieces{};
  for (void*& piece : pieces) {
    piece = heap_->allocate(kSize);
    std::memset(piece, 1, kSize);
  }
  for (std::size_t i = 0; i < pieces.size(); i += 2) {
    heap_->release(pieces[i]);
  }
  const std::size_t before = resident_pages();
  heap_->trim();
  EXPECT_LT(resident_pages(), before - 200 * (kSize / 4096 - 2));
  EXPECT_TRUE(heap_->is_sound());
  for (std::size_t i = 1; i < pieces.size(); i += 2) {
    EXPECT_EQ(static_cast<char*>(pieces[i])[kSize - 1], 1);
    heap_->release(pieces[i]);
  }
  expect_empty();
}

TEST_F(HeapTest, ZeroesMemoryThatItGaveBackAndReuses) {
  for (int i = 0; i < 3; ++i) {
    auto* p = static_cast<unsigned char*>(heap_->allocate_zeroed(std::size_t{20} << 20));
    for (std::size_t at = 0; at < std::size_t{20} << 20; at += 1000) {
      ASSERT_EQ(p[at], 0) << at;
    }
    std::memset(p, 7, std::size_t{20} << 20);
    heap_->release(p);
  }
}

// The kernel does not take pages back that mlock() has locked.
TEST_F(HeapTest, ZeroesMemoryThatTheProgramHasLocked) {
  constexpr std::size_t kSize = std::size_t{4} << 20;  // freed, the heap gives its pages back
  auto* const p = static_cast<unsigned char*>(heap_->allocate(kSize));
  std::memset(p, 7, kSize);
  if (mlock(p + kSize / 2, 4096) != 0) {
    GTEST_SKIP() << "no memory may be locked here";
  }
  heap_->release(p);
  heap_->trim();
  const auto* const again = static_cast<unsigned char*>(heap_->allocate_zeroed(kSize));
  for (std::size_t at = 0; at < kSize; at += 1000) {
    ASSERT_EQ(again[at], 0) << at;
  }
}

TEST_F(SmallHeapTest, ReturnsNullWhenItIsFullAndRecovers) {
  std::vector<void*> blocks;
  for (void* p = heap_->allocate(1000); p != nullptr; p = heap_->allocate(1000)) {
    blocks.push_back(p);
  }
  EXPECT_GT(blocks.size(), 1000U);
  EXPECT_EQ(heap_->allocate(std::size_t{1} << 40), nullptr);
  EXPECT_EQ(heap_->resize(blocks[0], capacity_), nullptr);
  EXPECT_EQ(heap_->allocate_aligned(std::size_t{1} << 19, 100), nullptr);
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    heap_->release(blocks[i]);
  }
  EXPECT_NE(heap_->allocate(900), nullptr) << "the holes serve again";
  EXPECT_TRUE(heap_->is_sound());
}

TEST_F(SmallHeapTest, UsesBlocksInTheCacheBeforeItIsFull) {
  std::vector<void*> blocks;
  for (void* p = heap_->allocate(500); p != nullptr; p = heap_->allocate(500)) {
    blocks.push_back(p);
  }
  for (std::size_t i = 0; i < 40; ++i) {  // fewer than the cache holds: they are not merged yet
    heap_->release(blocks[i]);
  }
  EXPECT_NE(heap_->allocate(15000), nullptr);
}

using HeapDeathTest = HeapTest;

TEST_F(HeapDeathTest, NamesADoubleFree) {
  for (std::size_t size : {24UL, 500UL, 5000UL}) {
    void* p = heap_->allocate(size);
    void* behind = heap_->allocate(size);
    heap_->release(p);
    EXPECT_DEATH(heap_->release(p), "double free") << size;
    heap_->release(behind);
  }
}

TEST_F(HeapDeathTest, NamesAPointerThatIsNoBlock) {
  char* p = static_cast<char*>(heap_->allocate(100));
  int local = 0;
  EXPECT_DEATH(heap_->release(p + 8), "not a block");
  EXPECT_DEATH(heap_->release(p + 16), "corrupted");
  EXPECT_DEATH(heap_->release(&local), "not a block");
  EXPECT_DEATH(heap_->release(heap_), "not a block");
}

TEST_F(HeapDeathTest, NamesAnOverwrittenHeader) {
  char* first = static_cast<char*>(heap_->allocate(24));
  char* second = static_cast<char*>(heap_->allocate(24));
  std::memset(first, 'x', 40);
  EXPECT_DEATH(heap_->release(second), "corrupted");
}

TEST_F(HeapDeathTest, NamesABlockThatWasWrittenPastItsEnd) {
  char* first = static_cast<char*>(heap_->allocate(2000));
  heap_->allocate(2000);
  std::memset(first, 0, Heap::usable(first) + 1);
  EXPECT_DEATH(heap_->release(first), "overrun");
}

TEST_F(HeapDeathTest, NamesAWriteToAFreeBlock) {
  char* p = static_cast<char*>(heap_->allocate(100));
  char* q = static_cast<char*>(heap_->allocate(100));
  heap_->release(p);
  heap_->release(q);
  std::memset(q, 'x', 100);  // the link to p is gone
  EXPECT_EQ(heap_->allocate(100), q);
  EXPECT_DEATH(heap_->allocate(100), "free list");
}

}  // namespace
}  // namespace weft::shim
