// A job as one of its processes sees it: the process's workers, the ranks, their start and end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "lb/strategy.hpp"
#include "pup/pup.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/lbstep/step_options.hpp"
#include "runtime/meter/load_clock.hpp"
#include "runtime/sched/worker_hooks.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/setup/program.hpp"
#include "runtime/setup/upper_layer.hpp"

namespace weft::trace {
struct Manifest;
}

namespace weft::runtime {
inline namespace failure {
class Failures;
}  // namespace failure

inline namespace lbstep {
class Balancer;
class BalancingStep;
}  // namespace lbstep

inline namespace location {
class ContinuousBalancer;
class BalancingWorker;
}  // namespace location

inline namespace p2p {
class EnvelopePool;
}  // namespace p2p

inline namespace spawning {
class Spawning;
}  // namespace spawning

inline namespace sync {
class Team;
}  // namespace sync

inline namespace termination {
class Termination;
}  // namespace termination

inline namespace timeline {
struct WorkerCore;
}  // namespace timeline

inline namespace job {

// Ends the calling rank's fibre with this exit code, from any depth of its stack.
[[noreturn]] void end_rank(Rank& me, int exit_code);

class Job {
 public:
  // `upper_layer` may be null; without `cluster` the job has one process. All outlive the job. config.workers is the
  // number of this process's workers, config.ranks that of all ranks of the job. Throws std::invalid_argument, and what
  // choose_load_clock() does.
  Job(JobConfig config, Program& program, UpperLayer* upper_layer = nullptr, Cluster* cluster = nullptr);
  ~Job();

  // Runs all ranks to their end, and returns their largest exit code, of which the system keeps 0 to 255. When every
  // rank is blocked and nothing is under way it prints the deadlock report and ends the process with code 1.
  int run();

  const JobConfig& config() const { return config_; }
  std::uint32_t rank_count() const { return config_.ranks; }  // at the start
  // With all that may be spawned, whose numbers are those from rank_count() on.
  std::uint32_t universe() const { return ranks_.universe(); }
  Rank& rank(std::uint32_t number) const { return ranks_[number]; }
  Worker& worker(std::uint32_t number) const { return *workers_[number]; }
  std::span<Worker* const> workers() const { return workers_; }
  // Whether it is a worker of this job: tests have several jobs in one process.
  bool owns(const Worker& worker) const;
  std::uint32_t worker_count() const { return config_.workers; }
  UpperLayer* upper_layer() const { return upper_layer_; }

  // The job's processes, of which this is number process(). rank() has the ranks of all processes; those that live in
  // others have no worker here. A rank changes its process in balancing steps only: placement_version() changes then.
  Cluster& cluster() const { return *cluster_; }
  BalancingStep& step() const { return *step_; }
  Termination& termination() const { return *termination_; }
  Spawning& spawning() const { return *spawning_; }
  // With --survive api; null without.
  Failures* failures() const { return failures_.get(); }
  std::uint32_t process_count() const;
  placement::JobShape shape() const;
  // By rank of those that the job begins with: the worker on which it starts, numbered through the job.
  std::vector<std::uint32_t> first_workers() const;
  ProcessId process() const;
  static ProcessId process_of(const Rank& rank) { return rank.process; }
  // Pairs with ParticipantRole::start_moves(): a thread that sees the new version sees where ranks live.
  std::uint32_t placement_version() const { return ranks_.placement_version.load(std::memory_order_acquire); }
  // The number of workers of all processes; the number of a worker of this process among them.
  std::uint32_t total_workers() const;
  std::uint32_t global_number(const Worker& worker) const;
  // Whether ranks may be packed, for a move or into a checkpoint. Then what ranks share, such as a communicator, is
  // registered by number: an unpacked rank finds it by that.
  bool may_pack_ranks() const {
    return spans_processes() || config_.repack || config_.saves_ranks() || !config_.restart.empty();
  }
  // Whether ranks may live in several processes: then ranks may not rely on having memory in common.
  bool spans_processes() const { return process_count() > 1 || config_.act_as_processes; }

  // A team of these ranks of the job, members[i] with number i in it.
  std::unique_ptr<Team> make_team(std::span<Rank* const> members) const;

  Program& program() const { return program_; }
  // Null where none is recorded.
  Timeline* timeline() const { return timeline_.get(); }
  // Null where ranks change their workers in balancing steps only.
  ContinuousBalancer* continuous_balancer() const { return continuous_balancer_.get(); }

  // Ends all processes of the job with `code`, or 1 if the system would keep that as 0, after printing `message` and
  // flushing every rank's output. Any thread; only the first call has an effect.
  [[noreturn]] void abort(int code, const std::string& message);
  // Ends only this process so, in a job with --survive api: for the others it has died.
  [[noreturn]] void end_process(int code, const std::string& message);

  MainThread& main_thread() const { return *main_thread_; }
  // On its worker: a rank of this process has ended. `spawned`: a spawned one.
  void rank_ended(bool spawned);

  // The balancing step: all ranks that the job began with call it, with equal options; for spawned ranks it does
  // nothing. At the calls that the rule of `lb_when` names, the strategy decides and ranks move between workers.
  // Returns true when the calling rank has moved. It may have moved to another process: then `me`, and everything else
  // that is not in the rank's own memory, is invalid.
  bool migrate(Rank& me, const StepOptions& options = {});
  // As weft_note_prediction() of weft.h. Any thread.
  void note_prediction(double left, double spread);

 private:
  // On the main thread, while all workers sleep: whether it need not be called again until one wakes.
  bool look_for_deadlock();
  WorkerHooks worker_hooks() const;
  void make_workers();
  void make_context();
  void make_ranks();
  void make_parts();
  std::vector<WorkerCore> cores_of_workers() const;
  trace::Manifest manifest(int exit_code) const;
  void end_timeline(int exit_code);

  // Constant after construction. The parts guard their own state.
  JobConfig config_;
  Program& program_;
  UpperLayer* upper_layer_;
  std::shared_ptr<Cluster> cluster_;  // owned if the constructor was given none
  std::unique_ptr<Timeline> timeline_;
  const LoadClock load_clock_;
  RankTable ranks_;
  std::vector<EnvelopePool*> pools_;  // by worker, then the cluster's
  std::vector<std::unique_ptr<BalancingWorker>> own_workers_;
  std::vector<Worker*> workers_;  // the same, as other parts see them
  class TimelineParts;            // receives those of the other processes
  std::unique_ptr<MainThread> main_thread_;
  std::unique_ptr<ControlChannel> control_;
  std::unique_ptr<JobContext> context_;
  std::unique_ptr<Balancer> balancer_;
  std::unique_ptr<BalancingStep> step_;
  std::unique_ptr<Termination> termination_;
  std::unique_ptr<Spawning> spawning_;
  std::unique_ptr<TimelineParts> timeline_parts_;
  std::unique_ptr<ContinuousBalancer> continuous_balancer_;
  std::unique_ptr<Failures> failures_;
};

}  // namespace job
}  // namespace weft::runtime
