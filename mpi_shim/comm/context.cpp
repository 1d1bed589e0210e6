#include "mpi_shim/comm/context.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace weft::mpi_shim {
inline namespace comm {

namespace {

constexpr std::size_t kQuarantine = std::size_t{1} << 16;
// A context uses two of the runtime's numbers, and two more with each of kPartitionedContext and kScheduleContext.
constexpr std::uint64_t kContexts = std::uint64_t{1} << 29;

}  // namespace

std::uint32_t ContextNumbers::take(const runtime::Job& job, std::uint32_t n) {
  const std::lock_guard lock(mutex_);
  if (n == 1 && given_back_.size() > kQuarantine) {
    const std::uint32_t number = given_back_.front();
    given_back_.pop_front();
    return number;
  }
  const std::uint64_t first = next_ * job.process_count() + weft::number(job.process());
  next_ += n;
  base::check(next_ * job.process_count() <= kContexts,
              "out of context numbers for communicators: 2^29 have been made");
  return static_cast<std::uint32_t>(first);
}

void ContextNumbers::give_back(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  given_back_.push_back(number);
}

void ContextNumbers::claim(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  std::erase(given_back_, number);
}

std::uint32_t ContextNumbers::used(const runtime::Job& job) {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint32_t>(next_ * job.process_count());
}

void ContextNumbers::skip(const runtime::Job& job, std::uint32_t first) {
  const std::lock_guard lock(mutex_);
  next_ = std::max<std::uint64_t>(next_, (first + job.process_count() - 1) / job.process_count());
}

Context::~Context() {
  if (numbers_ != nullptr) {
    numbers_->give_back(number_);
  }
}

NewComm Context::take(std::uint32_t sequence, int part, int members, const std::function<NewComm()>& make) {
  if (members == 1) {
    return make();
  }
  const std::lock_guard lock(mutex_);
  const auto [place, first] = pending_.try_emplace(std::pair(sequence, part));
  Pending& pending = place->second;
  if (first) {
    pending.created = make();
    pending.left = members;
  }
  NewComm created = pending.created;
  if (--pending.left == 0) {
    pending_.erase(place);
  }
  return created;
}

}  // namespace comm
}  // namespace weft::mpi_shim
