// Compares the ranks' heap with the C library's malloc: time for one free and one allocation.
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "runtime/image/libc_shim/heap.hpp"

namespace {

using weft::shim::Heap;

struct CLibrary {
  void* allocate(std::size_t n) { return std::malloc(n); }
  void release(void* p) { std::free(p); }
};

struct RankHeap {
  static constexpr std::size_t kCapacity = std::size_t{4} << 30;

  RankHeap() {
    base = mmap(nullptr, kCapacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    heap = Heap::create(base, kCapacity, [](weft::shim::Fault, const void*) { std::abort(); });
  }
  ~RankHeap() { munmap(base, kCapacity); }
  RankHeap(const RankHeap&) = delete;
  RankHeap& operator=(const RankHeap&) = delete;
  void* allocate(std::size_t n) { return heap->allocate(n); }
  void release(void* p) { heap->release(p); }

  void* base;
  Heap* heap;
};

template <class Allocator>
void pair_of_64_bytes(benchmark::State& state) {
  Allocator allocator;
  for (auto _ : state) {
    void* p = allocator.allocate(64);
    benchmark::DoNotOptimize(p);
    allocator.release(p);
  }
}

// Frees one of `live` blocks, chosen at random, and allocates another in its place.
template <class Allocator>
void replace(benchmark::State& state, const std::vector<std::size_t>& sizes, std::size_t live) {
  Allocator allocator;
  std::mt19937 random(1);
  std::vector<std::uint32_t> victims(1U << 16);
  for (std::uint32_t& victim : victims) {
    victim = static_cast<std::uint32_t>(random() % live);
  }
  std::vector<void*> blocks(live);
  std::size_t i = 0;
  for (void*& block : blocks) {
    block = allocator.allocate(sizes[i++ % sizes.size()]);
  }
  for (auto _ : state) {
    void*& block = blocks[victims[i % victims.size()]];
    allocator.release(block);
    block = allocator.allocate(sizes[i++ % sizes.size()]);
    *static_cast<volatile char*>(block) = 1;
  }
  for (void* block : blocks) {
    allocator.release(block);
  }
}

template <class Allocator>
void small_blocks(benchmark::State& state) {
  std::mt19937 random(2);
  std::vector<std::size_t> sizes(1U << 16);
  for (std::size_t& size : sizes) {
    size = 16 + random() % 1009;
  }
  replace<Allocator>(state, sizes, 10'000);
}

template <class Allocator>
void all_sizes(benchmark::State& state) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> log2(4, 16);
  std::vector<std::size_t> sizes(1U << 16);
  for (std::size_t& size : sizes) {
    size = static_cast<std::size_t>(std::exp2(log2(random)));
  }
  replace<Allocator>(state, sizes, 2000);
}

BENCHMARK(pair_of_64_bytes<CLibrary>);
BENCHMARK(pair_of_64_bytes<RankHeap>);
BENCHMARK(small_blocks<CLibrary>)->Name("16_to_1024_bytes_10k_live<CLibrary>");
BENCHMARK(small_blocks<RankHeap>)->Name("16_to_1024_bytes_10k_live<RankHeap>");
BENCHMARK(all_sizes<CLibrary>)->Name("16_bytes_to_64_KiB_2k_live<CLibrary>");
BENCHMARK(all_sizes<RankHeap>)->Name("16_bytes_to_64_KiB_2k_live<RankHeap>");

}  // namespace

BENCHMARK_MAIN();
