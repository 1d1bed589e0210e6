#include "runtime/team/board.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "runtime/message/point_to_point.hpp"
#include "runtime/team/appointment.hpp"
#include "runtime/worker/worker.hpp"

namespace weft::runtime {
namespace {

int membarrier(int command) { return static_cast<int>(syscall(SYS_membarrier, command, 0, 0)); }

// Who posts must see who sleeps, or be seen by it. The kernel can pass a fence in all threads for the one that goes to
// sleep, which takes microseconds anyhow; where it does not, posters pay for it too.
bool sleepers_fence_for_all() {
  static const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
  return registered;
}

}  // namespace

Board::Board(std::uint32_t members) : sides_(members) {}

void Board::post(std::uint32_t member, std::uint64_t mark) {
  Side& side = sides_[member];
  const std::uint32_t number = ++side.number;
  Posting& posting = side.postings[number % 2];
  posting.mark = mark;
  posting.number.store(number, std::memory_order_release);
}

bool Board::anyone_sleeps() {
  if (sleepers_fence_for_all()) [[likely]] {
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the load is behind the member's own posting
    return asleep_.load(std::memory_order_relaxed) != 0;
  }
  return asleep_.fetch_add(0, std::memory_order_acq_rel) != 0;
}

bool Board::complete(std::uint32_t number) const {
  return std::ranges::all_of(sides_, [&](const Side& side) {
    return side.postings[number % 2].number.load(std::memory_order_acquire) == number;
  });
}

bool Board::all_posted(Worker& worker, std::uint32_t member) {
  const std::uint32_t number = sides_[member].number;
  if (!worker.spin_until([&] { return complete(number); })) {
    return false;
  }
  if (anyone_sleeps()) [[unlikely]] {
    wake_sleepers(number);
  }
  return true;
}

void Board::await_all(Rank& me, std::uint32_t member, Request& over) {
  const std::uint32_t number = sides_[member].number;
  start_event(me, -1, {.context = kAppointmentContext}, over);
  {
    const std::lock_guard lock(mutex_);
    sleepers_.push_back({&over, number});
  }
  asleep_.fetch_add(1, std::memory_order_acq_rel);
  if (sleepers_fence_for_all()) {
    membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  }
  if (complete(number)) {
    wake_sleepers(number);
  }
}

// The posting is complete. Some who are told early may sleep for the next one by now.
void Board::wake_sleepers(std::uint32_t number) {
  std::vector<Request*> woken;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(sleepers_, [&](const Sleeper& sleeper) {
      const bool wakes = sleeper.number == number;
      if (wakes) {
        woken.push_back(sleeper.over);
      }
      return wakes;
    });
  }
  asleep_.fetch_sub(static_cast<std::uint32_t>(woken.size()), std::memory_order_relaxed);
  for (Request* const over : woken) {
    finish_event(*over);
  }
}

}  // namespace weft::runtime
