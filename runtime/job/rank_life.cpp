// How a rank begins and ends, and the hooks (WorkerHooks) by which the scheduler calls the layers above it.
#include <algorithm>

#include "base/check.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/control/computing.hpp"
#include "runtime/job/job.hpp"
#include "runtime/lbstep/balancing_step.hpp"
#include "runtime/location/balancing_worker.hpp"
#include "runtime/location/continuous_balancer.hpp"
#include "runtime/location/move.hpp"
#include "runtime/sched/main_thread.hpp"
#include "runtime/sched/thread_calls.hpp"
#include "runtime/spawning/spawning.hpp"
#include "runtime/timeline/recorder.hpp"

namespace weft::runtime {
inline namespace job {
namespace {

Cluster& cluster_of(const Worker& here) { return BalancingWorker::of(here).job().cluster(); }

// The first function on the rank's stack, after the scheduler's.
void start(RankContext& context) {
  Rank& me = rank_of(context);
  Job& job = me.job;
  if (UpperLayer* const upper_layer = job.upper_layer(); upper_layer != nullptr) {
    upper_layer->begin(me);
  }
  if (Worker& here = *Worker::current(); here.lock() != nullptr) {
    here.threads().leave_mpi();
  }
  const int code = job.program().main(me);
  end_rank(*current_rank(), code);  // not `me`: the rank may have moved to another process meanwhile
}

void poll(Worker& here) {
  MessageWorker& worker = MessageWorker::of(here);
  worker.set_polls(true);
  cluster_of(here).poll();
  worker.set_polls(false);
}

void charged(Worker& here, RankContext& rank, std::uint64_t from, std::uint64_t to) {
  here.recorder()->record_run(rank.id, from, to);
}

bool threads_may_call(const Worker& here) {
  const Job& job = BalancingWorker::of(here).job();
  for (std::uint32_t r = 0; r < job.universe(); ++r) {
    const Rank& rank = job.rank(r);
    if (rank.threads_allowed && rank.worker.load(std::memory_order_relaxed) == &here &&
        !rank.ended.load(std::memory_order_relaxed) &&
        // Pairs with expect_threads() of the image: the rank sets it before it starts its first thread.
        (rank.has_threads.load(std::memory_order_acquire) || job.program().has_threads(rank.id))) {
      return true;
    }
  }
  return false;
}

void add_process_hooks(WorkerHooks& hooks) {
  hooks.poll = &poll;
  hooks.may_sleep = [](const Worker& here) { return cluster_of(here).transport().may_sleep(); };
  hooks.help = [](Worker& here) { cluster_of(here).transport().help(); };
}

void add_continuous_balancing_hooks(WorkerHooks& hooks) {
  hooks.scheduling_point = [](Worker& here) { BalancingWorker::of(here).give_ready_ranks(); };
  hooks.before_switch = [](Worker& here, const ExecutionContext& next, const ExecutionContext& left) {
    BalancingWorker::of(here).expose(next, left);
  };
  hooks.withdraw_exposed = [](Worker& here) { BalancingWorker::of(here).withdraw_exposed(); };
  hooks.close_mail_queue = [](Worker& here, RankContext& rank) { close_mail_queue(here, rank_of(rank)); };
  hooks.on_idle = [](Worker& here, bool long_idle) {
    BalancingWorker& worker = BalancingWorker::of(here);
    const bool found = worker.steal();
    if (!found && long_idle) {
      worker.announce_idle();
    }
    return found;
  };
  hooks.idle_over = [](Worker& here) { BalancingWorker::of(here).claim_idle(); };
}

void first_thread_call(RankContext& rank) {
  Job& job = rank_of(rank).job;
  if (job.upper_layer() != nullptr) {
    job.upper_layer()->enable_thread_calls();
  }
  // A spawned rank takes part in no step, but the others may be in one.
  if (rank_of(rank).world == nullptr) {
    job.step().disable_for_threads();
  } else {
    job.step().request_disable();
  }
}

ThreadHooks thread_hooks() {
  return {.begin = [](Worker& here) { BalancingWorker::of(here).job().program().begin_thread(); },
          .first_call = &first_thread_call,
          .request_disable = [](RankContext& rank) { rank_of(rank).job.step().request_disable(); },
          .may_call = &threads_may_call,
          .fail = [](Worker& here, const std::string& why) { BalancingWorker::of(here).job().abort(1, why); }};
}

}  // namespace

WorkerHooks Job::worker_hooks() const {
  WorkerHooks hooks;
  if (process_count() > 1) {
    add_process_hooks(hooks);
  }
  if (config_.lb_continuous) {
    add_continuous_balancing_hooks(hooks);
  }
  if (timeline_ != nullptr) {
    hooks.charged = &charged;
  }
  hooks.core_is_wanted = [](Worker& here) { return BalancingWorker::of(here).job().main_thread().is_busy(); };
  hooks.asleep = [](Worker& here) { BalancingWorker::of(here).job().main_thread().worker_sleeps(); };
  hooks.awake = [](Worker& here) { BalancingWorker::of(here).job().main_thread().worker_wakes(); };
  hooks.stack_for = [](RankContext& rank) { return rank_of(rank).job.program().prepare(rank.id); };
  hooks.start = &start;
  hooks.threads = thread_hooks();
  return hooks;
}

namespace {

// Called when the rank has ended and no thread uses its stack.
void release_ended_rank(Worker& here, RankContext& context) {
  Rank& rank = rank_of(context);
  Job& job = rank.job;
  job.program().release(rank.id);
  if (rank.world != nullptr) {
    // Frees the number first: rank_ended() may end the job, and the coordinator must know of the free number before.
    job.spawning().release_number(here, rank);
    job.rank_ended(true);
  }
}

// Records what the rank has computed since its last call.
void end_recording(Rank& me) {
  if (Worker& here = *Worker::current(); here.recorder() != nullptr && here.recorder()->records_computing()) {
    end_computing(here, me, ticks());
  }
}

[[noreturn]] void leave(Rank& me) {
  me.set_ended();
  if (ContinuousBalancer* const balancer = me.job.continuous_balancer(); balancer != nullptr) {
    balancer->take_target(me);
  }
  if (me.world == nullptr) {
    me.job.rank_ended(false);
  }
  Worker::current()->leave_for_good(me, &release_ended_rank);
}

}  // namespace

void end_rank(Rank& me, int exit_code) {
  resume_call();  // the rank may not be in a call
  // The largest of all ranks that have had this number.
  me.exit_code = (exit_code & 0xff) > (me.exit_code & 0xff) ? exit_code : me.exit_code;
  if (UpperLayer* const upper_layer = me.job.upper_layer(); upper_layer != nullptr) {
    upper_layer->end(me, exit_code);
  }
  end_recording(me);
  leave(me);
}

}  // namespace job
}  // namespace weft::runtime
