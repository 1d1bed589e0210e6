#include "launch/rank_signals.hpp"

#include <unistd.h>

#include <cerrno>

#include "base/blocked_signals.hpp"
#include "base/check.hpp"

namespace weft::launch {
namespace {

std::atomic<RankSignals*> of_process;

}  // namespace

RankSignals::RankSignals(const image::Region& region) : region_(region), process_(::getpid()) {
  base::check(of_process.load() == nullptr, "two programs run in one process");
  of_process.store(this);
}

RankSignals::~RankSignals() {
  for (int signal = 1; signal < kSignals; ++signal) {
    if (const auto& handlers = handlers_[static_cast<std::size_t>(signal)];
        handlers != nullptr && handlers->count != 0) {
      ::sigaction(signal, &handlers->before, nullptr);
    }
  }
  of_process.store(nullptr);
}

RankSignals::Handlers& RankSignals::handlers_of(int signal) {
  auto& handlers = handlers_[static_cast<std::size_t>(signal)];
  if (handlers == nullptr) {
    handlers = std::make_unique<Handlers>();
    handlers->by_rank = std::make_unique<std::atomic<WeftSignalHandler>[]>(region_.rank_count());
    // Release: pairs with run_handlers(), which sees the zeros of the array if it sees the array.
    by_rank_[static_cast<std::size_t>(signal)].store(handlers->by_rank.get(), std::memory_order_release);
  }
  return *handlers;
}

int RankSignals::set(RankId rank, int signal, const struct sigaction& action, WeftSignalHandler run) {
  const base::BlockedSignals blocked;
  const std::lock_guard lock(mutex_);
  if (run == nullptr && handlers_[static_cast<std::size_t>(signal)] == nullptr) {
    return ::sigaction(signal, &action, nullptr);
  }
  Handlers& handlers = handlers_of(signal);
  const WeftSignalHandler before = handlers.by_rank[number(rank)].exchange(run);
  handlers.count += (run != nullptr ? 1U : 0U) - (before != nullptr ? 1U : 0U);
  if (run == nullptr) {
    return handlers.count == 0 ? ::sigaction(signal, &action, nullptr) : 0;
  }
  struct sigaction of_all = action;
  of_all.sa_sigaction = &on_signal;
  of_all.sa_flags = static_cast<int>(static_cast<unsigned>(action.sa_flags) & ~SA_RESETHAND);
  struct sigaction old {};
  if (::sigaction(signal, &of_all, &old) != 0) {
    handlers.by_rank[number(rank)].store(before);
    handlers.count -= before == nullptr ? 1 : 0;
    return -1;
  }
  if (handlers.count == 1 && before == nullptr) {
    handlers.before = old;
  }
  return 0;
}

bool RankSignals::clear_handlers(RankId rank) {
  const base::BlockedSignals blocked;
  const std::lock_guard lock(mutex_);
  bool had_any = false;
  for (int signal = 1; signal < kSignals; ++signal) {
    Handlers* const handlers = handlers_[static_cast<std::size_t>(signal)].get();
    if (handlers != nullptr && handlers->by_rank[number(rank)].exchange(nullptr) != nullptr) {
      had_any = true;
      if (--handlers->count == 0) {
        ::sigaction(signal, &handlers->before, nullptr);
      }
    }
  }
  return had_any;
}

void RankSignals::remove(RankId rank) {
  // Waits without the lock: a handler that runs may need it. Sequentially consistent, pairs with run_handlers(): either
  // that sees that the handler is gone, or this loop sees that it runs.
  for (const bool had_any = clear_handlers(rank); had_any && running_.load() != 0;) {
    __builtin_ia32_pause();
  }
}

void RankSignals::on_signal(int signal, siginfo_t* info, void* context) {
  if (RankSignals* const all = of_process.load(); all != nullptr) {
    all->run_handlers(signal, info, context);
  }
}

void RankSignals::run_handlers(int signal, siginfo_t* info, void* context) {
  // Pairs with handlers_of().
  std::atomic<WeftSignalHandler>* const by_rank =
      by_rank_[static_cast<std::size_t>(signal)].load(std::memory_order_acquire);
  if (by_rank == nullptr) {
    return;
  }
  const int error = errno;
  const auto interrupted = region_.rank_at(__builtin_frame_address(0));
  if (::getpid() == process_) {  // a forked child has the memory of all ranks, but stands only for the one that forked
    running_.fetch_add(1);       // pairs with remove()
    for (std::uint32_t rank = 0; rank < region_.rank_count(); ++rank) {
      const WeftSignalHandler run = rank == interrupted ? nullptr : by_rank[rank].load();
      if (run != nullptr) {
        run(signal, info, context);
      }
    }
    running_.fetch_sub(1);  // pairs with remove()
  }
  // The interrupted rank's handler runs last and is not counted: it may leave by longjmp. Its rank runs, so that it
  // cannot move meanwhile.
  if (const WeftSignalHandler run = interrupted ? by_rank[*interrupted].load() : nullptr; run != nullptr) {
    run(signal, info, context);
  }
  errno = error;
}

}  // namespace weft::launch
