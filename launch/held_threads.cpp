#include "launch/held_threads.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "base/futex.hpp"
#include "launch/hold_protocol.hpp"
#include "launch/worker_signal.hpp"

namespace weft::launch {
namespace {

using Clock = std::chrono::steady_clock;
using holding::Word;

struct HoldState {
  std::atomic<Word> word = 0;
  std::vector<HeldThread> slots;  // constant while a hold is open
};
HoldState state;

class HeldThreadOperations {
 public:
  explicit HeldThreadOperations(const ucontext_t& interrupted) : interrupted_(interrupted) {}
  // Pairs with HolderOperations::open() and end().
  Word word() { return state.word.load(std::memory_order_acquire); }
  // Acquire: pairs with HolderOperations::open(), which comes after prepare().
  bool claim(Word& seen) { return state.word.compare_exchange_strong(seen, seen + 1, std::memory_order_acq_rel); }
  bool has_slot(Word seen) { return (seen & holding::kCountMask) < state.slots.size(); }
  void describe(Word slot) {
    HeldThread& mine = state.slots[slot];
    mine.registers = StoppedRegisters::of(interrupted_);
    const runtime::WorkerThread* const thread = runtime::WorkerThreads::current();
    mine.owner = thread == nullptr ? nullptr : thread->owner;
    mine.thread = static_cast<int>(::syscall(SYS_gettid));
  }
  // Release: pairs with HolderOperations::wait_for(), which then sees what describe() has written, and all that the
  // thread had done to its ranks.
  void announce(Word slot) { state.slots[slot].is_described.store(true, std::memory_order_release); }
  void wait(Word seen) { base::futex_wait(state.word, seen, base::FutexScope::kProcess); }

 private:
  const ucontext_t& interrupted_;
};

class HolderOperations {
 public:
  HolderOperations(std::span<const int> threads, std::chrono::milliseconds limit)
      : threads_(threads), end_(Clock::now() + limit) {}

  // Release: pairs with HeldThreadOperations::word() and claim().
  void open() {
    for (HeldThread& slot : state.slots) {
      slot.is_described.store(false, std::memory_order_relaxed);
    }
    state.word.fetch_or(holding::kOpenBit, std::memory_order_release);
  }
  void send_signals() {
    for (const int thread : threads_) {
      signalled_ += send_worker_request(thread, WorkerRequest::hold) ? 1 : 0;
    }
  }
  bool waits_for_more() {
    if ((state.word.load(std::memory_order_relaxed) & holding::kCountMask) >= signalled_ || Clock::now() > end_) {
      return false;
    }
    const timespec pause{0, 50'000};
    ::nanosleep(&pause, nullptr);
    return true;
  }
  Word close() { return state.word.fetch_and(~holding::kOpenBit, std::memory_order_relaxed); }
  // Acquire: pairs with HeldThreadOperations::announce().
  void wait_for(Word slot) {
    while (!state.slots[slot].is_described.load(std::memory_order_acquire)) {
      ::sched_yield();
    }
  }
  // Release: pairs with HeldThreadOperations::word(). What the holder did meanwhile comes before what the thread does
  // next.
  void end() {
    const Word now = state.word.load(std::memory_order_relaxed);
    state.word.store((now & holding::kGenerationMask) + holding::kOneGeneration, std::memory_order_release);
  }
  void wake() { base::futex_wake_all(state.word, base::FutexScope::kProcess); }

 private:
  std::span<const int> threads_;
  const Clock::time_point end_;
  Word signalled_ = 0;
};

void on_hold_request(ucontext_t& interrupted) { holding::wait_until_released(HeldThreadOperations(interrupted)); }

// The text of /proc/self/task/THREAD/WHAT.
std::optional<std::string> read_of_thread(int thread, const char* what) {
  const std::string name = "/proc/self/task/" + std::to_string(thread) + "/" + what;
  std::FILE* const file = std::fopen(name.c_str(), "re");
  if (file == nullptr) {
    return std::nullopt;
  }
  std::array<char, 512> text{};
  const std::size_t bytes = std::fread(text.data(), 1, text.size() - 1, file);
  std::fclose(file);
  return std::string(text.data(), bytes);
}

bool runs(int thread) {
  const auto stat = read_of_thread(thread, "stat");
  const std::size_t end = stat ? stat->rfind(')') : std::string::npos;
  return end != std::string::npos && stat->compare(end, 3, ") R") == 0;
}

}  // namespace

void HeldThreads::prepare(std::size_t most_threads) {
  state.slots = std::vector<HeldThread>(std::min<std::size_t>(most_threads, holding::kCountMask));
  set_worker_request_handler(WorkerRequest::hold, &on_hold_request);
}

HeldThreads::HeldThreads(std::span<const int> threads, std::chrono::milliseconds limit) {
  const Word taken = holding::hold(HolderOperations(threads, limit));
  all_ = std::span(state.slots).first(taken);
}

HeldThreads::~HeldThreads() { holding::release(HolderOperations({}, {})); }

std::size_t HeldThreads::number_of(const runtime::WorkerThreads& owner) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(all_, [&](const HeldThread& thread) { return thread.owner == &owner; }));
}

// The system's text is "running", or the call's number, its six arguments, the stack pointer and the instruction.
ThreadStatus read_thread_status(int thread) {
  ThreadStatus status;
  const auto text = read_of_thread(thread, "syscall");
  if (!text || text->starts_with("running")) {
    status.state = text || runs(thread) ? ThreadStatus::State::runs : ThreadStatus::State::unknown;
    return status;
  }
  std::array<unsigned long long, 7> words{};
  unsigned long long instruction = 0;
  if (std::sscanf(text->c_str(), "%ld %llx %llx %llx %llx %llx %llx %llx %llx", &status.call, &words[0], &words[1],
                  &words[2], &words[3], &words[4], &words[5], &words[6], &instruction) == 9) {
    status.state = ThreadStatus::State::sleeps;
    status.has_limit = status.call == SYS_futex && words[3] != 0;
    status.stack_pointer = words[6];
  } else if (status.call == -1) {
    status.state = ThreadStatus::State::runs;  // it sleeps in no call: it waits for a page, say
  }
  return status;
}

// signal(7), "Interruption of system calls and library functions by signal handlers".
bool may_be_interrupted(const ThreadStatus& status) {
  constexpr std::array kRestarted{SYS_read,   SYS_write,   SYS_readv, SYS_writev, SYS_pread64,   SYS_pwrite64,
                                  SYS_preadv, SYS_pwritev, SYS_open,  SYS_openat, SYS_wait4,     SYS_waitid,
                                  SYS_flock,  SYS_fcntl,   SYS_futex, SYS_fsync,  SYS_fdatasync, SYS_sched_yield};
  return status.state == ThreadStatus::State::runs ||
         (status.state == ThreadStatus::State::sleeps && !status.has_limit &&
          std::ranges::find(kRestarted, status.call) != kRestarted.end());
}

}  // namespace weft::launch
