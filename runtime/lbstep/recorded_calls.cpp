#include "runtime/lbstep/recorded_calls.hpp"

#include <cmath>

#include "runtime/lbstep/local_loads.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/setup/program.hpp"
#include "runtime/timeline/recorder.hpp"
#include "trace/worker_interval.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

// Measuring takes some microseconds, and the system counts cores' times in ticks of 10 ms: see interval_meters.cpp.
constexpr double kShortestInterval = 200e-6;
constexpr double kBetweenCoreReads = 0.1;

}  // namespace

RecordedCalls::RecordedCalls(const JobContext& job) : job_(job), workers_(job.workers.size()) {}

void RecordedCalls::note(Rank& me) {
  Worker& here = *Worker::current();
  here.update_load();
  note_worker(here, ++me.recorded_calls);
  const bool may_be_packed = why_pinned(job_, me) == nullptr && job_.config.ranks_may_leave;
  here.recorder()->record_now(
      {.kind = trace::EventKind::migrate,
       .rank = me.id,
       .peer = (me.migratable ? trace::kMigratable : 0) | (may_be_packed ? trace::kMayBePacked : 0),
       .tag = me.wanted_worker == Rank::kAnyWorker ? -1 : static_cast<std::int32_t>(me.wanted_worker),
       .value = std::llround(me.load.take_recorded() * 1e9),
       .more = static_cast<std::int64_t>(job_.program.bytes_to_move(me.id, __builtin_frame_address(0)))});
}

// The first rank of this worker that comes to the call records what the worker did until then.
void RecordedCalls::note_worker(Worker& here, std::uint64_t call) {
  PerWorker& mine = workers_[number(here.id())];
  const std::optional<WorkerTimes> times = here.meter().read();
  if (call <= mine.call || !times || times->at - mine.measured_at < kShortestInterval) {
    return;
  }
  mine.call = call;
  mine.measured_at = times->at;
  if (!mine.began) {
    mine.began = true;
    mine.interval.begin(here.meter().first(), here.meter().first_core());
  }
  CoreTable cores;
  if (times->at - mine.cores_read_at >= kBetweenCoreReads) {
    mine.cores_read_at = times->at;
    cores = read_core_times();
  }
  const std::optional<std::uint32_t> core = here.meter().core();
  const auto found = core ? cores.find(*core) : cores.end();
  here.recorder()->record_now(
      trace::event_of(mine.interval.next(*times, found == cores.end() ? nullptr : &found->second, core.has_value())));
}

}  // namespace lbstep
}  // namespace weft::runtime
