#include "runtime/sync/deferred_collective.hpp"

#include <algorithm>
#include <utility>

#include "runtime/sync/member.hpp"

namespace weft::runtime {
inline namespace sync {

std::vector<std::unique_ptr<DeferredCollective>>::iterator DeferredCollectives::place_of(std::uint32_t number) {
  return std::ranges::lower_bound(
      open_, number, [](std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; },
      [](const std::unique_ptr<DeferredCollective>& open) { return open->number_; });
}

DeferredCollective& DeferredCollectives::at(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  const auto place = place_of(number);
  if (place != open_.end() && (*place)->number_ == number) {
    return **place;
  }
  if (spare_.empty()) {
    spare_.push_back(std::make_unique<DeferredCollective>(*this));
    spare_.back()->contributions_.resize(members_);
    spare_.back()->requests_.resize(members_);
  }
  DeferredCollective& made = **open_.insert(place, std::move(spare_.back()));
  spare_.pop_back();
  made.number_ = number;
  made.missing_.store(members_, std::memory_order_relaxed);
  return made;
}

void DeferredCollectives::end(const DeferredCollective& collective) {
  const std::lock_guard lock(mutex_);
  const auto place = place_of(collective.number_);
  spare_.push_back(std::move(*place));
  open_.erase(place);
}

void DeferredCollective::contribute(Member& me, std::uint32_t member, const Contribution& contribution, Action action,
                                    Request& request) {
  start_event(me, -1, {.context = kTeamContext}, request);
  contributions_[member] = contribution;
  requests_[member] = &request;
  // Pairs with contribute() of the others: the last one sees what they have left.
  if (missing_.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  action(*this);
  // A member whose request is done may end, and the team with the last of them. So the requests are put into a list of
  // their own, and this object, which belongs to the team, is given back before the first one is finished.
  Request* first = nullptr;
  for (Request* const each : requests_) {
    each->next = std::exchange(first, each);
  }
  set_.end(*this);
  while (first != nullptr) {
    Request* const each = std::exchange(first, first->next);
    each->next = nullptr;
    finish_event(*each);
  }
}

}  // namespace sync
}  // namespace weft::runtime
