// Ranks that run a function of this program: tests and benchmarks of the runtime load no image.
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "runtime/setup/program.hpp"

namespace weft::runtime {
inline namespace setup {

void* Program::allocate(RankId /*rank*/, std::size_t alignment, std::size_t bytes) {
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void Program::deallocate(RankId /*rank*/, void* memory) { std::free(memory); }

void Program::print(RankId /*rank*/, std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

void Program::load(const Application& application, std::span<const RankId> /*ranks*/) {
  throw std::runtime_error("this job cannot spawn " + application.program);
}

void FunctionProgram::load(const Application& application, std::span<const RankId> /*ranks*/) {
  if (application.program.empty()) {
    throw std::runtime_error("a program without a name");
  }
}

std::span<std::byte> FunctionProgram::prepare(RankId rank) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory =
      mmap(nullptr, stack_bytes_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0) {
    throw std::bad_alloc();
  }
  const std::span<std::byte> stack(static_cast<std::byte*>(memory) + page, stack_bytes_);
  const std::lock_guard lock(mutex_);
  if (stacks_.size() <= number(rank)) {
    stacks_.resize(number(rank) + 1);
  }
  stacks_[number(rank)] = stack;
  return stack;
}

void FunctionProgram::release(RankId rank) {
  std::span<std::byte> stack;
  {
    const std::lock_guard lock(mutex_);
    stack = stacks_[number(rank)];
  }
#if defined(__SANITIZE_ADDRESS__)
  // Otherwise its red zones would remain for the next memory at these addresses.
  __asan_unpoison_memory_region(stack.data(), stack.size());
#endif
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  munmap(stack.data() - page, stack.size() + page);
}

}  // namespace setup
}  // namespace weft::runtime
