#include "launch/rank_samples.hpp"

#include <sys/mman.h>

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>

#include "launch/image_program.hpp"
#include "runtime/p2p/request.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/sync/deferred_collective.hpp"
#include "runtime/sync/team.hpp"

namespace weft::launch {
namespace {

using inspect::Activity;
using runtime::Rank;

// A thread that runs ranks, and its status before any thread was stopped.
struct RunningThread {
  int thread = 0;
  ThreadStatus status;
};

std::vector<int> all_threads() {
  std::vector<int> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/self/task", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    int thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc{} && thread != ::gettid()) {
      threads.push_back(thread);
    }
  }
  return threads;
}

// The workers' own threads. Where ranks' threads may call MPI, too, any thread may run ranks: then all threads.
std::vector<RunningThread> running_threads(const runtime::Job& job) {
  std::vector<int> threads;
  bool may_be_any = false;
  for (runtime::Worker* const worker : job.workers()) {
    may_be_any = may_be_any || worker->threads().count() > 1;
    threads.push_back(worker->thread());
  }
  std::vector<RunningThread> found;
  for (const int thread : may_be_any ? all_threads() : threads) {
    if (thread != 0) {
      found.push_back({thread, read_thread_status(thread)});
    }
  }
  // A signal does not harm an idle worker's sleep: the worker goes back to sleep by itself.
  for (runtime::Worker* const worker : job.workers()) {
    const auto mine = std::ranges::find(found, worker->thread(), &RunningThread::thread);
    if (mine != found.end() && worker->inbox().consumer_asleep() && mine->status.state != ThreadStatus::State::runs) {
      mine->status.has_limit = false;
      mine->status.state =
          mine->status.state == ThreadStatus::State::unknown ? ThreadStatus::State::runs : mine->status.state;
    }
  }
  return found;
}

WaitSample wait_of(const Rank& rank) {
  if (rank.at_barrier != nullptr) {
    return {.kind = WaitSample::Kind::everybody, .others = rank.at_barrier->size() - 1};
  }
  const runtime::MatchKey* key = rank.probing;
  if (rank.waiting_on != nullptr) {
    const runtime::Request& request = *rank.waiting_on;
    if (request.key.context == runtime::kTeamContext) {
      return {.kind = WaitSample::Kind::everybody};
    }
    if (request.kind == runtime::Request::Kind::send) {
      return {.kind = WaitSample::Kind::send, .peer = request.peer, .tag = request.key.tag};
    }
    key = &request.key;
  }
  return key == nullptr ? WaitSample{}
                        : WaitSample{.kind = WaitSample::Kind::message, .peer = key->source, .tag = key->tag};
}

// Samples the ranks while their threads are held. Allocates nothing.
class Sampler {
 public:
  Sampler(const runtime::Job& job, const ImageProgram& program, std::span<const RunningThread> threads,
          const HeldThreads& held, RankSamples& samples)
      : job_(job), program_(program), threads_(threads), held_(held), samples_(samples) {
    samples_.ranks.clear();
    samples_.frames.clear();
    samples_.ended = 0;
    samples_.workers_missed = static_cast<std::uint32_t>(
        std::ranges::count_if(job.workers(), [&](runtime::Worker* worker) { return !is_held(*worker); }));
  }

  // Whether each rank of a worker that is held was found either suspended or running.
  bool sample_all() {
    bool is_whole = true;
    for (std::uint32_t r = 0; r < job_.universe(); ++r) {
      const Rank& rank = job_.rank(r);
      runtime::Worker* const worker = rank.worker.load(std::memory_order_acquire);  // pairs with WorkerWord::set()
      if (worker == nullptr) {
        continue;
      }
      if (rank.ended.load(std::memory_order_acquire)) {  // pairs with RankContext::set_ended()
        ++samples_.ended;
        continue;
      }
      if (is_held(*worker)) {
        is_whole = sample_rank(rank) && is_whole;
      } else {
        sample_unheld_rank(rank);
      }
    }
    return is_whole;
  }

 private:
  bool is_held(runtime::Worker& worker) const { return held_.number_of(worker.threads()) == worker.threads().count(); }

  bool is_in_slot(const Rank& rank, std::uint64_t stack_pointer) const {
    const auto at = program_.rank_at(reinterpret_cast<const void*>(stack_pointer));
    return at == rank.id;
  }
  bool slept(int thread) const {
    const auto found = std::ranges::find(threads_, thread, &RunningThread::thread);
    return found != threads_.end() && found->status.state == ThreadStatus::State::sleeps;
  }

  // For a rank that must not be read: its worker runs, or is in a call that must not be interrupted.
  void sample_unheld_rank(const Rank& rank) {
    RankSample sample{.rank = number(rank.id), .call = __atomic_load_n(&rank.call, __ATOMIC_RELAXED)};
    for (const RunningThread& thread : threads_) {
      if (thread.status.state == ThreadStatus::State::sleeps && is_in_slot(rank, thread.status.stack_pointer)) {
        sample.activity = Activity::blocked;
      }
    }
    samples_.ranks.push_back(sample);
  }

  // False if the rank was found neither suspended nor running.
  bool sample_rank(const Rank& rank) {
    if (rank.state == Rank::State::dormant || rank.state == Rank::State::ended) {
      return true;
    }
    RankSample sample{.rank = number(rank.id), .call = rank.call};
    const HeldThread* runner = nullptr;
    for (const HeldThread& thread : held_.all()) {
      runner = is_in_slot(rank, thread.registers.stack_pointer()) ? &thread : runner;
    }
    void* const saved = *rank.fiber.saved_context();
    switch (rank.state) {
      case Rank::State::parked:
        sample.activity = Activity::waits;
        sample.wait = wait_of(rank);
        sample.has_unexpected = sample.wait.kind == WaitSample::Kind::message && rank.mailbox.unexpected() != 0;
        break;
      case Rank::State::ready:
        sample.activity = Activity::ready;
        break;
      case Rank::State::running:
        sample.activity = runner != nullptr && slept(runner->thread) ? Activity::blocked : Activity::computes;
        break;
      default:
        sample.activity = Activity::moves;
    }
    // With --lb-continuous a worker that was not stopped may have stolen this rank and run it meanwhile.
    const bool may_run_on =
        samples_.workers_missed != 0 && job_.config().lb_continuous && rank.state == Rank::State::ready;
    if (runner != nullptr) {
      sample.frames = samples_.frames.walk(runner->registers);
    } else if (saved != nullptr && !may_run_on) {
      sample.frames = samples_.frames.walk(StoppedRegisters::of_fiber(saved));
    }
    samples_.ranks.push_back(sample);
    return runner != nullptr || saved != nullptr;
  }

  const runtime::Job& job_;
  const ImageProgram& program_;
  const std::span<const RunningThread> threads_;
  const HeldThreads& held_;
  RankSamples& samples_;
};

}  // namespace

FrameMemory::FrameMemory(std::size_t ranks) : size_((ranks + 1) * kMostFrames) {
  void* const memory = ::mmap(nullptr, size_ * sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  memory_ = static_cast<std::uint64_t*>(memory);
}

FrameMemory::~FrameMemory() { ::munmap(memory_, size_ * sizeof(std::uint64_t)); }

std::span<const std::uint64_t> FrameMemory::walk(const StoppedRegisters& from) {
  const std::span<std::uint64_t> room(memory_ + used_, std::min(kMostFrames, size_ - used_));
  const std::size_t count = walk_frames(from, room);
  used_ += count;
  return room.first(count);
}

void prepare_samples(const runtime::Job& job) {
  if constexpr (kThreadsCanBeHeld) {
    constexpr std::size_t kMoreThreads = 256;  // that may run ranks, beside the workers' own
    HeldThreads::prepare(job.worker_count() + kMoreThreads);
  }
}

void take_samples(const runtime::Job& job, const ImageProgram& program, RankSamples& samples) {
  constexpr int kMostTries = 3;  // a try fails where a thread is in the middle of a switch
  constexpr std::chrono::milliseconds kLongest(1000);
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  for (int tries = 1; tries <= kMostTries; ++tries) {
    const std::vector<RunningThread> threads = running_threads(job);
    std::vector<int> interruptible;
    for (const RunningThread& thread : threads) {
      if (may_be_interrupted(thread.status)) {
        interruptible.push_back(thread.thread);
      }
    }
    const HeldThreads held(interruptible, kLongest);
    Sampler sampler(job, program, threads, held, samples);
    if (sampler.sample_all()) {
      return;
    }
  }
}

}  // namespace weft::launch
