#include "launch/preemption.hpp"

#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_start.hpp"
#include "launch/frame_walk.hpp"
#include "launch/image_program.hpp"
#include "launch/worker_signal.hpp"
#include "runtime/image/unwind.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/pauses.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::launch {

extern "C" {
// Where a preempted rank continues: calls weft_preempt() as if the program had called it between two instructions, and
// restores all registers afterwards. On entry the stack holds the address to return to and, above it, the 128 bytes
// that a function may use below its stack pointer (the red zone).
[[gnu::visibility("hidden")]] void weft_preempt_here();
[[gnu::visibility("hidden"), gnu::used]] void weft_preempt();
}
asm(R"(
.text
.hidden weft_preempt_here
.globl weft_preempt_here
.type weft_preempt_here,@function
weft_preempt_here:
  pushfq
  cld
  push %rax
  push %rcx
  push %rdx
  push %rbx
  push %rbp
  push %rsi
  push %rdi
  push %r8
  push %r9
  push %r10
  push %r11
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp,%rbp
  mov $0xd,%eax
  xor %ecx,%ecx
  cpuid
  sub %rbx,%rsp
  and $-64,%rsp
  xor %eax,%eax
  lea 512(%rsp),%rdi
  mov $8,%ecx
  rep stosq
  mov $-1,%eax
  mov $-1,%edx
  xsave64 (%rsp)
  mov %rsp,%r12
  call weft_preempt
  mov $-1,%eax
  mov $-1,%edx
  xrstor64 (%r12)
  mov %rbp,%rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %r11
  pop %r10
  pop %r9
  pop %r8
  pop %rdi
  pop %rsi
  pop %rbp
  pop %rbx
  pop %rdx
  pop %rcx
  pop %rax
  popfq
  ret $128
.size weft_preempt_here,.-weft_preempt_here
)");

namespace {

constexpr std::uint64_t kRedZone = 128;
constexpr std::uint64_t kStackNeeded = std::uint64_t{64} << 10;  // the registers take up to 12 KiB
constexpr int kMostFramesWalked = 1000;
constexpr double kSlice = 0.1;   // seconds that a rank runs once ranks of its worker are being preempted
constexpr double kRetry = 0.25;  // seconds until the next attempt where a rank could not be preempted
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitizedBuild = true;
#else
constexpr bool kSanitizedBuild = false;
#endif

std::atomic<const ImageProgram*> watched = nullptr;

[[gnu::noinline]] int& error_of_thread() {
  asm volatile("" ::: "memory");
  return errno;
}

struct Frames {
  std::uintptr_t from;  // the interrupted instruction; frames inside of it are the signal handler's
  bool begun;
  bool safe;
  int count;
};

// Sets Frames::safe if all frames are the program's own functions, down to the one that calls main().
_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* argument) {
  auto& frames = *static_cast<Frames*>(argument);
  const std::uintptr_t address = _Unwind_GetIP(context);
  frames.begun = frames.begun || address == frames.from;
  if (!frames.begun) {
    return _URC_NO_REASON;
  }
  if (++frames.count > kMostFramesWalked || address == 0) {
    return _URC_END_OF_STACK;
  }
  if (const auto image = image::find_image(address); !image) {
    frames.safe = image::Program::calls_main(reinterpret_cast<const void*>(_Unwind_GetRegionStart(context)));
    return _URC_END_OF_STACK;
  } else if (image::program_at(address)->is_shim(*image)) {
    return _URC_END_OF_STACK;
  }
  return _URC_NO_REASON;
}

void walk_over_frames(void* argument) { _Unwind_Backtrace(&look_at_frame, argument); }

// Assembly may describe its frames wrongly: where the walk then faults, the answer is no.
bool is_in_program_alone(std::uintptr_t instruction) {
  if (!image::find_image(instruction)) {
    return false;
  }
  Frames frames{instruction, false, false, 0};
  return run_catching_faults(&walk_over_frames, &frames) && frames.safe;
}

// Makes the interrupted rank go on at weft_preempt_here(), if it may be suspended.
void redirect(ucontext_t& context) {
  const runtime::Rank* const me = runtime::current_rank();
  // Acquire: pairs with Preemption(). A signal may come to any thread, and the handler must see the whole program.
  const ImageProgram* const program = watched.load(std::memory_order_acquire);
  if (me == nullptr || me->suspension_guards != 0 || program == nullptr) {
    return;
  }
  auto& registers = context.uc_mcontext.gregs;
  const auto stack_pointer = static_cast<std::uint64_t>(registers[REG_RSP]);
  const std::span<std::byte> stack = program->stack_of(me->id);
  const auto bottom = reinterpret_cast<std::uint64_t>(stack.data());
  if (stack_pointer < bottom + kStackNeeded || stack_pointer >= bottom + stack.size() ||
      !is_in_program_alone(static_cast<std::uintptr_t>(registers[REG_RIP]))) {
    return;
  }
  const std::uint64_t below = stack_pointer - kRedZone - sizeof(std::uint64_t);
  *reinterpret_cast<greg_t*>(below) = registers[REG_RIP];
  registers[REG_RSP] = static_cast<greg_t>(below);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&weft_preempt_here);
}

// Whether the thread has a core or waits for one, rather than for a file or another thread: there a signal would
// disturb calls that the system does not restart.
bool computes(int thread) {
  char text[256];
  const std::string name = "/proc/self/task/" + std::to_string(thread) + "/stat";
  std::FILE* const file = std::fopen(name.c_str(), "re");
  if (file == nullptr) {
    return false;
  }
  const std::size_t bytes = std::fread(text, 1, sizeof text, file);
  std::fclose(file);
  const std::string_view words(text, bytes);
  const std::size_t end = words.rfind(')');
  return end != std::string_view::npos && words.substr(end).starts_with(") R");
}

bool has_others(const runtime::Job& job, const runtime::Worker& worker) {
  int live = 0;
  for (std::uint32_t r = 0; r < job.universe() && live < 2; ++r) {
    const runtime::Rank& rank = job.rank(r);
    live += rank.worker.load(std::memory_order_relaxed) == &worker && !rank.ended.load(std::memory_order_relaxed);
  }
  return live > 1;
}

// Watches one worker. Owned by the watcher's thread.
class WorkerWatch {
 public:
  WorkerWatch(const runtime::Job& job, const runtime::Worker& worker, double limit)
      : job_(job), worker_(worker), limit_(limit) {}

  // Preempts the worker's rank if it has run for too long. Whether to check again soon.
  bool check() {
    const std::uint64_t since = worker_.running_since();
    const std::uint64_t preempted = worker_.preempted_at();
    // The running rank began right after a preemption: the worker now gives its ranks time slices.
    const bool sliced = preempted != 0 && since >= preempted && seconds(since - preempted) < 1e-3;
    const std::uint64_t now = runtime::ticks();
    if (worker_.thread() == 0 || now < since || seconds(now - since) < (sliced ? kSlice : limit_) ||
        (since == tried_ && seconds(now - tried_at_) < kRetry)) {
      return sliced;
    }
    tried_ = since;
    tried_at_ = now;
    return has_others(job_, worker_) && computes(worker_.thread()) &&
           send_worker_request(worker_.thread(), WorkerRequest::preempt);
  }

 private:
  static double seconds(std::uint64_t ticks) { return static_cast<double>(ticks) / runtime::ticks_per_second(); }

  const runtime::Job& job_;
  const runtime::Worker& worker_;
  const double limit_;
  std::uint64_t tried_ = 0;  // Worker::running_since() at the last attempt
  std::uint64_t tried_at_ = 0;
};

// What the watcher's thread uses. It is made before the thread starts: a lack of memory is then an error that the user
// sees, while in the thread it would end the process. Only computes(), which opens a file, still allocates there.
struct Watcher {
  Watcher(const runtime::Job& job, double limit) {
    for (std::uint32_t w = 0; w < job.worker_count(); ++w) {
      workers.emplace_back(job, job.worker(w), limit);
    }
  }

  std::vector<WorkerWatch> workers;
  std::mutex mutex;
  std::condition_variable_any wakeup;  // by the stop token alone
};

void watch(const std::stop_token& stop, Watcher& watcher) {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  std::unique_lock lock(watcher.mutex);
  for (bool soon = false; !stop.stop_requested();) {
    watcher.wakeup.wait_for(lock, stop, std::chrono::duration<double>(soon ? kSlice / 2 : kRetry),
                            [] { return false; });
    soon = false;
    for (WorkerWatch& worker : watcher.workers) {
      soon = worker.check() || soon;
    }
  }
}

}  // namespace

void weft_preempt() {
  const int kept = error_of_thread();
  runtime::preempt();
  error_of_thread() = kept;
}

Preemption::Preemption(const runtime::Job& job, const ImageProgram& program, std::uint32_t seconds) {
  // With --lb-continuous ranks go to other threads, and a rank can continue on another thread only after a call of its
  // own.
  if (seconds == 0 || job.config().lb_continuous || kSanitizedBuild) {
    return;
  }
  // Release: pairs with the load in redirect().
  watched.store(&program, std::memory_order_release);
  set_worker_request_handler(WorkerRequest::preempt, &redirect);
  auto watcher = std::make_unique<Watcher>(job, static_cast<double>(seconds));
  watcher_ = base::start_thread<std::jthread>(
      "the thread that preempts ranks",
      [watcher = std::move(watcher)](const std::stop_token& stop) { watch(stop, *watcher); });
}

Preemption::~Preemption() {
  if (watcher_.joinable()) {
    watcher_.request_stop();
    watcher_.join();
    // Release: pairs with the load in redirect(). The watcher has ended; a signal still on its way finds no program.
    watched.store(nullptr, std::memory_order_release);
  }
}

}  // namespace weft::launch
