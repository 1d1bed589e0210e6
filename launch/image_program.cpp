#include "launch/image_program.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "base/say.hpp"
#include "launch/backtrace.hpp"
#include "launch/crash.hpp"
#include "launch/program_files.hpp"
#include "runtime/image/capacity.hpp"
#include "runtime/image/openmp.hpp"
#include "runtime/image/shim_abi.h"
#include "runtime/image/touched_ranges.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/pauses.hpp"
#include "runtime/sched/thread_calls.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::launch {
namespace {

ImageProgram* active = nullptr;  // written before the first rank starts and after the last has ended

// The canonical path: the same for all names of a file.
std::string path_of(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::canonical(path, error);
  return error ? path : whole.string();
}

// Cache colouring: how many bytes below its end a rank begins to use its stack. Without it the same frames of all ranks
// would fall into the same few sets of the first-level cache, where the address within a page chooses the set.
std::size_t stack_color(std::uint32_t rank) { return rank % 8 * std::size_t{512}; }

void exit_rank(int code) {
  runtime::Rank* const me = runtime::current_rank();
  if (me == nullptr ||
      runtime::WorkerThreads::current() == nullptr) {  // a thread that a rank started: it has no fibre to end
    active->output().flush_all();
    base::say("weftrun: a thread that a rank started called exit(): the job ends\n");
    ::_exit((code & 0xff) == 0 ? 1 : code);
  }
  end_rank(*me, code);
}

void fail_rank(const char* message, int signal) {
  if (signal == SIGABRT) {
    abort_with_reason(message);
  }
  const runtime::Rank* const me = runtime::current_rank();
  active->output().flush_all();
  base::say("weft: " + (me == nullptr ? "a thread that a rank started" : describe_rank(*me)) + ": " + message + "\n");
  print_backtrace(0, 0, BacktraceStart::call);
  ::_exit(1);
}

ssize_t write_output(int fd, const void* bytes, std::size_t size) {
  return active->output().write(active->rank_of_caller(bytes), fd, bytes, size);
}

// `error`: what the rank's shim reports about the rank's files; null: they are in order.
void check_files(RankId rank, const char* error) {
  if (error != nullptr) {
    throw std::runtime_error("rank " + std::to_string(number(rank)) + ": " + error);
  }
}

void begin_thread_of(std::uint32_t rank) { active->adopt_thread(RankId{rank}); }

int yield_rank() { return runtime::let_others_run() == runtime::Pause::done ? 1 : 0; }

int sleep_rank(std::int64_t until) {
  switch (runtime::sleep_until(until)) {
    case runtime::Pause::done:
      return WEFT_SLEEP_DONE;
    case runtime::Pause::interrupted:
      return WEFT_SLEEP_INTERRUPTED;
    default:
      return WEFT_SLEEP_REFUSED;
  }
}

void interrupt_rank(std::uint32_t rank) { active->interrupt(RankId{rank}); }

int handle_signal(std::uint32_t rank, int signal, const struct sigaction* action, WeftSignalHandler run) {
  return active->signals().set(RankId{rank}, signal, *action, run);
}

ssize_t read_input(void* bytes, std::size_t size) {
  const std::uint32_t rank = active->rank_of_caller(bytes);
  if (rank == 0 && !active->output().has_input()) {
    fail_rank(
        "reads standard input, which process 0 has and the process that it has moved to does not; read it before the "
        "first balancing step, or from a file",
        0);
  }
  return active->output().read(rank, bytes, size);
}

void watch_parallel_regions() { runtime::parallel_regions = image::find_openmp_level(); }

}  // namespace

ImageProgram::ImageProgram(image::Program& program, const image::Region& region, runtime::Output& output,
                           std::vector<std::string> arguments)
    : program_(program),
      region_(region),
      output_(output),
      sizes_(region.rank_count()),
      signals_(region),
      placed_(region.rank_count()) {
  base::check(active == nullptr, "two programs run in one process");
  commands_.emplace_back(std::move(arguments));
  tasks_.assign(region.rank_count(), {&program_, &commands_.front()});
  program_.publish(region_);
  active = this;
  runtime::watch_forks();
  watch_parallel_regions();
}

ImageProgram::~ImageProgram() {
  forget_program();
  active = nullptr;
}

ImageProgram::Command::Command(std::vector<std::string> words) : arguments(std::move(words)) {
  for (const auto& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  argv.push_back(nullptr);
}

void ImageProgram::set_loader(const std::string& path, Loader loader) {
  loader_ = std::move(loader);
  first_path_ = path_of(path);
  programs_[first_path_] = &program_;
}

image::Program& ImageProgram::loaded(const std::string& path) {
  image::Program*& known = programs_[path_of(path)];
  if (known == nullptr) {
    std::unique_ptr<image::Program> program = loader_(path);
    program->use_region(region_);
    known = spawned_.emplace_back(std::move(program)).get();
  }
  return *known;
}

void ImageProgram::load(const runtime::Application& application, std::span<const RankId> ranks) {
  if (!loader_) {
    throw std::runtime_error("this job's ranks cannot spawn");
  }
  std::string path = find_program(application, first_path_);
  std::vector<std::string> arguments = application.arguments;
  if (std::vector<std::string> interpreter = interpreter_of(path); !interpreter.empty()) {
    arguments.front() = std::exchange(path, interpreter.front());
    arguments.insert(arguments.begin(), interpreter.begin(), interpreter.end());
  }
  image::Program& program = loaded(path);
  image::check_capacity(ranks.size(), program.layout().mappings_per_rank);
  const Command& command = commands_.emplace_back(std::move(arguments));
  for (const RankId rank : ranks) {
    tasks_[number(rank)] = {&program, &command};
  }
  watch_parallel_regions();
}

// Release: pairs with can_reuse_number() and shorten_core(). A thread that sees the slot as placed also sees what is
// mapped there.
void ImageProgram::note_placed(RankId rank, bool placed) {
  placed_[number(rank)].store(placed, std::memory_order_release);
}

image::RankInfo ImageProgram::info_of(RankId rank) const {
  return {.rank = number(rank),
          .rank_count = region_.rank_count(),
          .host = {.exit = &exit_rank,
                   .fail = &fail_rank,
                   .output = &write_output,
                   .input = &read_input,
                   .begin_thread = &begin_thread_of,
                   .place_in_teams = &image::place_in_teams,
                   .keep_places = image::threads_keep_their_places() ? 1U : 0U,
                   .yield = &yield_rank,
                   .sleep = &sleep_rank,
                   .interrupt = &interrupt_rank,
                   .handle_signal = &handle_signal}};
}

std::span<std::byte> ImageProgram::prepare(RankId rank) {
  install_signal_stack();
  const auto slot = region_.slot(number(rank));
  const image::Program& program = program_of(rank);
  region_.set_program(number(rank), &program);
  program.place(slot, info_of(rank));
  note_placed(rank, true);
  const auto stack = program.stack(slot);
  return stack.first(stack.size() - stack_color(number(rank)));
}

int ImageProgram::main(runtime::Rank& rank) {
  const std::uint64_t now = runtime::ticks();
  for (std::uint64_t first = first_began_.load(); now < first && !first_began_.compare_exchange_weak(first, now);) {
  }
  install_signal_stack();  // a spawned rank's memory was made by another thread
  job_.store(&rank.job, std::memory_order_relaxed);
  const Command& command = *tasks_[number(rank.id)].command;
  program_of(rank.id).run(region_.slot(number(rank.id)), static_cast<int>(command.arguments.size()),
                          command.argv.data());
}

double ImageProgram::seconds_of_ranks() const {
  const std::uint64_t first = first_began_.load();
  const std::uint64_t last = last_ended_.load();
  return last > first ? static_cast<double>(last - first) / runtime::ticks_per_second() : 0.0;
}

void ImageProgram::release(RankId rank) {
  const std::uint64_t now = runtime::ticks();
  for (std::uint64_t last = last_ended_.load(); now > last && !last_ended_.compare_exchange_weak(last, now);) {
  }
  output_.flush(number(rank));
  signals_.remove(rank);
  const image::Slot slot = region_.slot(number(rank));
  const image::Program& program = program_of(rank);
  if (program.shim().threaded(slot)) {
    left_threads_.store(true, std::memory_order_relaxed);
  } else {
    note_placed(rank, false);
    program.release(slot);
    region_.set_program(number(rank), nullptr);
  }
}

std::string ImageProgram::fingerprint() const {
  std::string text = program_.fingerprint();
  for (const auto& other : spawned_) {
    text += other->fingerprint();
  }
  return text;
}

const char* ImageProgram::why_pinned(RankId rank, bool several_hosts) {
  return program_of(rank).shim().why_pinned(region_.slot(number(rank)), several_hosts);
}

std::vector<std::span<std::byte>> ImageProgram::memory_of(RankId rank, const void* stack_pointer) {
  base::check(region_.rank_at(stack_pointer) == number(rank), "a rank suspended on a stack in its own memory");
  const image::Slot slot = region_.slot(number(rank));
  program_of(rank).shim().save_files(slot);
  program_of(rank).shim().trim(slot);
  std::vector<std::span<std::byte>> memory;
  for (const image::ByteRange& range : image::touched_ranges(slot, program_of(rank).ranges(slot, stack_pointer))) {
    memory.push_back(slot.subspan(range.offset, range.bytes));
  }
  return memory;
}

std::span<std::byte> ImageProgram::addresses_of(RankId rank) {
  const image::Slot slot = region_.slot(number(rank));
  const auto* const end = reinterpret_cast<const std::byte*>(program_of(rank).shim().heap_end(slot));
  return end == nullptr ? slot : slot.first(static_cast<std::size_t>(end - slot.data()));
}

std::uint64_t ImageProgram::bytes_to_move(RankId rank, const void* stack_pointer) {
  MoveSize& size = sizes_[number(rank)];
  const std::uint64_t begin = runtime::ticks();
  if (size.count_is_due(begin)) {
    const image::Slot slot = region_.slot(number(rank));
    std::uint64_t bytes = 0;
    for (const image::ByteRange& range : image::touched_ranges(slot, program_of(rank).ranges(slot, stack_pointer))) {
      bytes += range.bytes;
    }
    size.record_count(bytes, begin, runtime::ticks());
  }
  return size.bytes();
}

std::optional<std::uint64_t> ImageProgram::written_bytes(RankId rank) const {
  return image::written_bytes(region_.slot(number(rank)));
}

void ImageProgram::make_room(RankId rank) {
  region_.set_program(number(rank), &program_of(rank));
  program_of(rank).place_text(region_.slot(number(rank)));
}

void ImageProgram::finish_arrival(RankId rank, bool from_image) {
  const image::Slot slot = region_.slot(number(rank));
  signals_.remove(rank);  // handlers that it had here may differ from those in its image
  program_of(rank).attach(slot, info_of(rank));
  note_placed(rank, true);
  check_files(rank, program_of(rank).shim().reopen_files(slot, from_image));
}

void ImageProgram::truncate_files(RankId rank) {
  check_files(rank, program_of(rank).shim().truncate_files(region_.slot(number(rank))));
}

void ImageProgram::finish_departure(RankId rank) {
  output_.flush(number(rank));
  signals_.remove(rank);
  note_placed(rank, false);
  program_of(rank).shim().leave(region_.slot(number(rank)));
  program_of(rank).release(region_.slot(number(rank)));
}

void ImageProgram::release_forwarded(RankId rank) { program_of(rank).release(region_.slot(number(rank))); }

void ImageProgram::begin_thread() { install_signal_stack(); }

void ImageProgram::adopt_thread(RankId rank) const {
  runtime::set_thread_owner(job_.load(std::memory_order_relaxed)->rank(number(rank)));
}

void ImageProgram::interrupt(RankId rank) const {
  if (runtime::Job* const job = job_.load(std::memory_order_relaxed); job != nullptr) {
    interrupt_sleep(job->rank(number(rank)));
  }
}

bool ImageProgram::has_threads(RankId rank) const {
  return program_of(rank).shim().starts_threads(region_.slot(number(rank)));
}

std::optional<RankId> ImageProgram::rank_at(const void* code) const {
  const auto rank = region_.rank_at(code);
  return rank ? std::optional(RankId{*rank}) : std::nullopt;
}

void* ImageProgram::allocate(RankId rank, std::size_t alignment, std::size_t bytes) {
  return program_of(rank).shim().allocate(region_.slot(number(rank)), alignment, bytes);
}

void ImageProgram::deallocate(RankId rank, void* memory) {
  program_of(rank).shim().deallocate(region_.slot(number(rank)), memory);
}

void ImageProgram::shorten_core() const noexcept {
  bool is_short = true;
  for (std::uint32_t r = 0; r < region_.rank_count() && is_short; ++r) {
    // Pairs with note_placed().
    is_short = !placed_[r].load(std::memory_order_acquire) || tasks_[r].program->shorten_core(region_.slot(r));
  }
  if (!is_short && ::prctl(PR_SET_DUMPABLE, 0) == 0) {
    base::say("weft: no core file: the kernel has no memory mapping left to shorten it (vm.max_map_count)\n");
  }
}

bool ImageProgram::is_below(RankId rank, std::uintptr_t stack_pointer) const noexcept {
  constexpr std::uintptr_t kLargestArray = std::uintptr_t{1} << 40;
  const auto begin = reinterpret_cast<std::uintptr_t>(region_.slot(number(rank)).data());
  return stack_pointer < begin && begin - stack_pointer < kLargestArray;
}

void ImageProgram::flush_at_abort() const {
  if (const runtime::Rank* const me = runtime::current_rank(); me != nullptr) {
    flush_streams(me->id);
  }
  output_.flush_all();
}

void ImageProgram::flush_streams(RankId rank) const {
  const image::Slot slot = region_.slot(number(rank));
  if (const image::RankShim& shim = program_of(rank).shim(); !shim.threaded(slot)) {
    shim.flush(slot);
  }
}

void ImageProgram::print(RankId rank, std::string_view line) {
  flush_streams(rank);
  output_.write(number(rank), STDOUT_FILENO, line.data(), line.size());
}

std::uint32_t ImageProgram::rank_of_caller(const void* address) const {
  if (const runtime::Rank* const me = runtime::current_rank(); me != nullptr) {
    return number(me->id);
  }
  return region_.rank_at(address).value_or(0);
}

}  // namespace weft::launch
