#include "runtime/lbstep/supersteps.hpp"

#include <utility>

#include "runtime/control/rank.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace lbstep {

void Supersteps::end(Rank& me) {
  Worker::current()->update_load();
  One& mine = ranks_[number(me.id)];
  const std::uint64_t counted = me.load.counted();
  // Less than before: the program has restarted the measurement.
  const std::uint64_t cycles = counted >= mine.counted ? counted - mine.counted : counted;
  mine.counted = counted;
  SuperstepReport report{.seconds = static_cast<double>(cycles) / ticks_per_second(), .sent = {}};
  if (me.traffic != nullptr) {
    for (const auto& [to, all] : me.traffic->by_receiver()) {
      Traffic::Sent& before = mine.sent[to];
      if (all.messages > before.messages) {
        report.sent.push_back({.from = number(me.id),
                               .to = to,
                               .messages = all.messages - before.messages,
                               .bytes = all.bytes - before.bytes});
        before = all;
      }
    }
  }
  if (mine.done.size() == kMost) {
    mine.done.erase(mine.done.begin());
  }
  mine.done.push_back(std::move(report));
}

std::vector<SuperstepReport> Supersteps::take(std::uint32_t rank) {
  One& its = ranks_[rank];
  its.counted = 0;
  its.sent.clear();
  return std::exchange(its.done, {});
}

}  // namespace lbstep
}  // namespace weft::runtime
