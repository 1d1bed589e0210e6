#include "mpi_shim/rma/exposure.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.hpp"
#include "mpi_shim/request/progress.hpp"

namespace weft::mpi_shim::rma {

bool Exposure::try_lock(bool exclusive) {
  const std::lock_guard guard(mutex_);
  const bool free = waiters_.empty() && may_lock(exclusive);
  if (free) {
    acquire(exclusive);
  }
  return free;
}

bool Exposure::lock(const Waiter& waiter) {
  const std::lock_guard guard(mutex_);
  if (!waiters_.empty() || !may_lock(waiter.exclusive)) {
    waiters_.push_back(waiter);
    return false;
  }
  acquire(waiter.exclusive);
  return true;
}

void Exposure::unlock(std::vector<Waiter>& granted) {
  const std::lock_guard guard(mutex_);
  --holders_;
  exclusive_ = false;
  while (!waiters_.empty() && may_lock(waiters_.front().exclusive)) {
    acquire(waiters_.front().exclusive);
    granted.push_back(waiters_.front());
    waiters_.pop_front();
  }
}

void Exposure::acquire(bool exclusive) {
  ++holders_;
  exclusive_ = exclusive;
}

void Exposure::add_post(int by) {
  {
    const std::lock_guard guard(mutex_);
    ++posts_[by];
  }
  notify_owner();
}

void Exposure::add_completion() {
  {
    const std::lock_guard guard(mutex_);
    ++completions_;
  }
  notify_owner();
}

void Exposure::notify_owner() {
  std::vector<runtime::Request*> events;
  {
    const std::lock_guard guard(mutex_);
    events.swap(waiting_requests_);
  }
  for (runtime::Request* event : events) {
    runtime::finish_event(*event);
  }
}

template <typename Take>
void Exposure::wait_until(RankState& me, int peer, Take&& take) {
  for (;;) {
    runtime::Request event;
    {
      const std::lock_guard guard(mutex_);
      if (take()) {
        return;
      }
      runtime::start_event(*me.rank, peer, {}, event);
      waiting_requests_.push_back(&event);
    }
    wait_message(me, event);
  }
}

void Exposure::wait_post(RankState& me, int by) {
  wait_until(me, by, [&] {
    const auto post = posts_.find(by);
    if (post == posts_.end()) {
      return false;
    }
    if (--post->second == 0) {
      posts_.erase(post);
    }
    return true;
  });
}

void Exposure::wait_completions(RankState& me, std::uint32_t number) {
  wait_until(me, MPI_ANY_SOURCE, [&] {
    const bool all = completions_ >= number;
    completions_ -= all ? number : 0;
    return all;
  });
}

bool Exposure::take_completions(std::uint32_t number) {
  const std::lock_guard guard(mutex_);
  const bool all = completions_ >= number;
  completions_ -= all ? number : 0;
  return all;
}

bool Exposure::attach(std::uintptr_t base, std::size_t bytes) {
  const std::lock_guard guard(mutex_);
  const auto after = attached_.lower_bound(base);
  const bool free_behind = after == attached_.end() || base + bytes <= after->first;
  const bool free_before = after == attached_.begin() || std::prev(after)->first + std::prev(after)->second <= base;
  return free_behind && free_before && attached_.emplace(base, bytes).second;
}

bool Exposure::detach(std::uintptr_t base) {
  const std::lock_guard guard(mutex_);
  return attached_.erase(base) == 1;
}

bool Exposure::is_attached(std::uintptr_t base, std::size_t bytes) {
  const std::lock_guard guard(mutex_);
  // Adjacent regions may have been attached one by one.
  while (bytes > 0) {
    const auto after = attached_.upper_bound(base);
    const auto region = after == attached_.begin() ? attached_.end() : std::prev(after);
    if (region == attached_.end() || region->second <= base - region->first) {
      return false;
    }
    const std::size_t covered = std::min(bytes, region->second - (base - region->first));
    base += covered;
    bytes -= covered;
  }
  return true;
}

void Exposure::pup(pup::Puper& p) {
  base::check(waiters_.empty() && waiting_requests_.empty(), "a window is packed while somebody waits for it");
  p | holders_ | exclusive_ | posts_ | completions_ | attached_;
}

}  // namespace weft::mpi_shim::rma
