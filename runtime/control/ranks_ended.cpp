#include "runtime/control/ranks_ended.hpp"

#include "runtime/control/control_channel.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/control/rank_table.hpp"

namespace weft::runtime {
inline namespace control {

void report_ended_ranks(const JobContext& job) {
  if (job.ranks.live.load() != 0 || job.ranks.live_spawned.load() != 0) {
    return;
  }
  const std::uint32_t ended = job.ranks.ended.load();
  if (job.ranks.reported.exchange(ended) != ended) {
    job.control.send_control(job.cluster.first_living_process(), RanksEnded{ended});
  }
}

}  // namespace control
}  // namespace weft::runtime
