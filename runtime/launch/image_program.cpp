#include "runtime/launch/image_program.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/check.hpp"
#include "runtime/image/touched.hpp"
#include "runtime/launch/crash.hpp"

namespace weft::runtime {
namespace {

ImageProgram* active = nullptr;  // written before the first rank starts and after the last has ended

void say(std::string_view text) {
  if (::write(2, text.data(), text.size()) < 0) {
    return;  // nobody listens; the exit code still tells
  }
}

// How far below its end a rank begins to use its stack, in bytes: else the same frames of all ranks would fall into the
// same few sets of the processor's first-level cache, where a set is chosen by the address within a page.
std::size_t color(std::uint32_t rank) { return rank % 8 * std::size_t{512}; }

void exit_rank(int code) {
  Rank* const me = current_rank();
  if (me == nullptr) {  // a thread that the rank started has no fibre to end
    active->output().flush_all();
    say("weftrun: a thread that a rank started called exit(): the job ends\n");
    ::_exit((code & 0xff) == 0 ? 1 : code);
  }
  end_rank(*me, code);
}

void fail_rank(const char* message) {
  const Rank* const me = current_rank();
  active->output().flush_all();
  say("weft: " + (me == nullptr ? "a thread that a rank started" : describe_rank(*me)) + ": " + message + "\n");
  print_backtrace();
  ::_exit(1);
}

ssize_t write_output(int fd, const void* bytes, std::size_t size) {
  return active->output().write(active->rank_of_caller(bytes), fd, bytes, size);
}

ssize_t read_input(void* bytes, std::size_t size) {
  return active->output().read(active->rank_of_caller(bytes), bytes, size);
}

}  // namespace

ImageProgram::ImageProgram(image::Program& program, const image::Region& region, Output& output,
                           std::vector<std::string> arguments)
    : program_(program),
      region_(region),
      output_(output),
      arguments_(std::move(arguments)),
      sizes_(region.rank_count()),
      placed_(region.rank_count()) {
  base::check(active == nullptr, "two programs run in one process");
  for (const auto& argument : arguments_) {
    argv_.push_back(argument.c_str());
  }
  argv_.push_back(nullptr);
  program_.publish(region_);
  active = this;
}

ImageProgram::~ImageProgram() { active = nullptr; }

void ImageProgram::note_placed(RankId rank, bool placed) {
  placed_[number(rank)].store(placed, std::memory_order_release);
}

image::RankInfo ImageProgram::info_of(RankId rank) const {
  return {.rank = number(rank),
          .rank_count = region_.rank_count(),
          .exit = &exit_rank,
          .fail = &fail_rank,
          .output = &write_output,
          .input = &read_input};
}

std::span<std::byte> ImageProgram::prepare(RankId rank) {
  give_signal_stack();
  const auto slot = region_.slot(number(rank));
  program_.place(slot, info_of(rank));
  note_placed(rank, true);
  const auto stack = program_.stack(slot);
  return stack.first(stack.size() - color(number(rank)));
}

int ImageProgram::main(Rank& rank) {
  program_.run(region_.slot(number(rank.id)), static_cast<int>(arguments_.size()), argv_.data());
}

void ImageProgram::release(RankId rank) {
  output_.flush(number(rank));
  const image::Slot slot = region_.slot(number(rank));
  if (program_.threaded(slot)) {
    left_threads_.store(true, std::memory_order_relaxed);
  } else {
    note_placed(rank, false);
    program_.release(slot);
  }
}

const char* ImageProgram::pinned(RankId rank) { return program_.pinned(region_.slot(number(rank))); }

std::vector<std::span<std::byte>> ImageProgram::memory_of(RankId rank, const void* stack_pointer) {
  const image::Slot slot = region_.slot(number(rank));
  program_.trim(slot);
  std::vector<std::span<std::byte>> memory;
  for (const image::ByteRange& range : image::touched(slot, program_.ranges(slot, stack_pointer))) {
    memory.push_back(slot.subspan(range.offset, range.bytes));
  }
  return memory;
}

std::uint64_t ImageProgram::bytes_to_move(RankId rank, const void* stack_pointer) {
  constexpr std::uint32_t kBetweenCounts = 16;  // to ask the system takes microseconds for each megabyte
  Size& size = sizes_[number(rank)];
  if (size.asked++ % kBetweenCounts == 0) {
    const image::Slot slot = region_.slot(number(rank));
    size.bytes = 0;
    for (const image::ByteRange& range : image::touched(slot, program_.ranges(slot, stack_pointer))) {
      size.bytes += range.bytes;
    }
  }
  return size.bytes;
}

void ImageProgram::make_room(RankId rank) { program_.place_text(region_.slot(number(rank))); }

void ImageProgram::arrived(RankId rank) {
  program_.attach(region_.slot(number(rank)), info_of(rank));
  note_placed(rank, true);
}

void ImageProgram::left(RankId rank) {
  output_.flush(number(rank));
  note_placed(rank, false);
  program_.release(region_.slot(number(rank)));
}

void* ImageProgram::allocate(RankId rank, std::size_t alignment, std::size_t bytes) {
  return program_.allocate(region_.slot(number(rank)), alignment, bytes);
}

void ImageProgram::deallocate(RankId rank, void* memory) { program_.deallocate(region_.slot(number(rank)), memory); }

void ImageProgram::shorten_core() const noexcept {
  bool is_short = true;
  for (std::uint32_t r = 0; r < region_.rank_count() && is_short; ++r) {
    is_short = !placed_[r].load(std::memory_order_acquire) || program_.shorten_core(region_.slot(r));
  }
  if (!is_short && ::prctl(PR_SET_DUMPABLE, 0) == 0) {
    say("weft: no core file: the kernel has no memory mapping left to shorten it (vm.max_map_count)\n");
  }
}

std::uint32_t ImageProgram::rank_of_caller(const void* address) const {
  if (const Rank* const me = current_rank(); me != nullptr) {
    return number(me->id);
  }
  return region_.rank_at(address).value_or(0);
}

}  // namespace weft::runtime
