#include "mpi_shim/context.hpp"

#include <deque>

#include "base/check.hpp"

namespace weft::mpi_shim {

namespace {

constexpr std::uint32_t kFirstFree = 2;
constexpr std::size_t kQuarantine = std::size_t{1} << 16;

// The numbers of the process.
struct Numbers {
  std::mutex mutex;
  std::uint32_t next = kFirstFree;
  std::deque<std::uint32_t> given_back;

  std::uint32_t take() {
    const std::lock_guard lock(mutex);
    if (given_back.size() > kQuarantine) {
      const std::uint32_t number = given_back.front();
      given_back.pop_front();
      return number;
    }
    base::check(next < (1U << 31), "out of context numbers: 2^31 communicators are alive");
    return next++;
  }

  void give_back(std::uint32_t number) {
    const std::lock_guard lock(mutex);
    given_back.push_back(number);
  }
};

// Never destroyed: ranks may end while the process's static objects do.
Numbers& numbers() {
  static Numbers& all = *new Numbers;
  return all;
}

}  // namespace

Context::~Context() {
  if (number_ >= kFirstFree) {
    numbers().give_back(number_);
  }
}

std::shared_ptr<Context> Context::fresh() { return std::make_shared<Context>(numbers().take()); }

Birth Context::take(std::uint32_t sequence, int part, int takers, const std::function<Birth()>& make) {
  if (takers == 1) {
    return make();
  }
  const std::lock_guard lock(mutex_);
  const auto [place, first] = pending_.try_emplace(std::pair(sequence, part));
  Pending& pending = place->second;
  if (first) {
    pending.birth = make();
    pending.left = takers;
  }
  Birth birth = pending.birth;
  if (--pending.left == 0) {
    pending_.erase(place);
  }
  return birth;
}

}  // namespace weft::mpi_shim
