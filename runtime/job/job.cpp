#include "runtime/job/job.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/check.hpp"
#include "base/say.hpp"
#include "base/thread_start.hpp"
#include "lb/links.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/control/ranks_ended.hpp"
#include "runtime/failure/failures.hpp"
#include "runtime/lbstep/balancer.hpp"
#include "runtime/lbstep/balancing_step.hpp"
#include "runtime/location/balancing_worker.hpp"
#include "runtime/location/continuous_balancer.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/p2p/fetched.hpp"
#include "runtime/sched/main_thread.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/spawning/spawning.hpp"
#include "runtime/sync/asymmetric_fence.hpp"
#include "runtime/sync/team.hpp"
#include "runtime/termination/deadlock.hpp"
#include "runtime/termination/termination.hpp"
#include "runtime/timeline/timeline.hpp"
#include "runtime/topology/core_binding.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
inline namespace job {
namespace {

std::unique_ptr<Timeline> timeline_of(const JobConfig& config, ProcessId process) {
  if (config.trace.empty() && config.otf2.empty() && config.record.empty()) {
    return nullptr;
  }
  return std::make_unique<Timeline>(
      TimelineOptions{
          .file = config.trace, .folder = config.otf2, .recording = config.record, .most_bytes = config.trace_bytes},
      process, config.workers, config.host_of(number(process)));
}

// The time stamp counter suffices where nothing uses loads.
LoadClock load_clock_of(const JobConfig& config) {
  const bool balances = config.lb != "none" || config.lb_continuous;
  return choose_load_clock(config.load_clock == "auto" && !balances ? "tsc" : config.load_clock);
}

constexpr std::size_t kMostEagerBytes = std::size_t{1} << 30;  // an envelope has 32 bits for the size of its payload

// By worker of this process: the ranks that start there.
std::vector<std::vector<RankContext*>> initial_ranks(const Job& job) {
  std::vector<std::vector<RankContext*>> homes(job.worker_count());
  for (std::uint32_t r = 0; r < job.rank_count(); ++r) {
    if (const Worker* const home = job.rank(r).worker.load(std::memory_order_relaxed); home != nullptr) {
      homes[number(home->id())].push_back(&job.rank(r));
    }
  }
  return homes;
}

// What the system keeps of an exit code: -1 becomes 255, 256 becomes 0.
int low_byte(int code) { return code & 0xff; }

JobConfig normalized(JobConfig config, const Cluster* cluster) {
  if (config.ranks == 0 || config.workers == 0 || config.lb_period == 0) {
    throw std::invalid_argument("a job needs at least one rank, one worker and a balancing period of at least one");
  }
  config.keeps_requests = config.check || !config.record.empty();
  config.eager_bytes = std::min(config.eager_bytes, kMostEagerBytes);
  if (cluster == nullptr) {
    config.workers = std::min(config.workers, config.ranks + (config.idle_workers ? config.max_spawned : 0));
  }
  if (config.workers > allowed_cores().size()) {  // a worker that spins would take another one's core
    config.spin_us = 0;
    config.idle_spin_us = 0;
  }
  return config;
}

std::unique_ptr<Cluster> single_process(const JobConfig& config) {
  return std::make_unique<Cluster>(ProcessId{}, std::vector<std::uint32_t>{config.workers});
}

// To process 0, once no worker of the sender runs any more.
struct TimelinePart {
  static constexpr ControlKind kKind = ControlKind::timeline_part;
  std::span<const std::byte> bytes;
};

}  // namespace

// On process 0: adds the parts that the other processes send to the timeline.
class Job::TimelineParts final : public ControlHandler {
 public:
  TimelineParts(ProcessId self, ControlChannel& control, Timeline* timeline)
      : ControlHandler(self), timeline_(timeline) {
    control.set_handler(ControlPart::timeline, *this);
  }

 private:
  void on_control(ProcessId from, ControlKind kind, const ControlBody& body) override {
    using Messages = ControlMessages<TimelinePart>;
    static_assert(Messages::are_all_of(ControlPart::timeline));
    base::check(timeline_ != nullptr, "a part of a timeline that this process does not write");
    Messages::dispatch(kind, body, [&](const TimelinePart& part) { timeline_->add_part(from, part.bytes); });
  }
  Timeline* const timeline_;
};

Job::Job(JobConfig config, Program& program, UpperLayer* upper_layer, Cluster* cluster)
    : config_(normalized(std::move(config), cluster)),
      program_(program),
      upper_layer_(upper_layer),
      cluster_(cluster != nullptr ? std::shared_ptr<Cluster>(std::shared_ptr<void>(), cluster)
                                  : single_process(config_)),
      timeline_(timeline_of(config_, cluster_->self())),
      load_clock_(load_clock_of(config_)),
      ranks_(config_.ranks, config_.ranks + config_.max_spawned) {
  make_workers();
  make_context();
  make_ranks();
  make_parts();
  for (std::uint32_t r = 0; r < universe() && balancer_->decider().strategy().wants_edges(); ++r) {
    ranks_[r].traffic = std::make_unique<Traffic>(rank_count());
  }
}

void Job::make_workers() {
  const WorkerHooks hooks = worker_hooks();
  const auto ticks_of = [](double microseconds) {
    return static_cast<std::uint64_t>(microseconds * 1e-6 * ticks_per_second());
  };
  WorkerConfig config{.spin_ticks = ticks_of(config_.spin_us),
                      .idle_spin_ticks = ticks_of(config_.idle_spin_us),
                      .stack_guard = config_.stack_guard};
  pools_.resize(config_.workers + 1);
  const MessageConfig messages{.eager_bytes = config_.eager_bytes,
                               .workers = config_.workers,
                               .processes = process_count(),
                               .pools = pools_.data(),
                               .remote = cluster_.get(),
                               .ranks_may_leave = config_.lb_continuous,  // their worker
                               .fences_posts = config_.lb_continuous && !has_asymmetric_fence()};
  for (std::uint32_t w = 0; w < config_.workers; ++w) {
    config.recorder = timeline_ == nullptr ? nullptr : &timeline_->recorder(w);
    config.doorbell = process_count() == 1 ? nullptr : cluster_->transport().doorbell(w);
    own_workers_.push_back(std::make_unique<BalancingWorker>(*this, WorkerId{w}, hooks, config, messages));
    workers_.push_back(own_workers_.back().get());
    pools_[w] = &own_workers_.back()->pool();
  }
  pools_.back() = &cluster_->pool();
}

void Job::make_context() {
  main_thread_ = std::make_unique<MainThread>(config_.workers);
  control_ = std::make_unique<ControlChannel>(*cluster_);
  context_ = std::make_unique<JobContext>(
      JobContext{.job = *this,
                 .config = config_,
                 .program = program_,
                 .upper_layer = upper_layer_,
                 .cluster = *cluster_,
                 .control = *control_,
                 .main_thread = *main_thread_,
                 .ranks = ranks_,
                 .workers = workers_,
                 .timeline = timeline_.get(),
                 .abort = [this](int code, const std::string& message) { abort(code, message); }});
  cluster_->attach(*context_);
}

void Job::make_ranks() {
  const std::uint32_t first = cluster_->first_worker(cluster_->self());
  for (const std::uint32_t w : first_workers()) {
    ranks_.add(*context_, w - first < config_.workers ? workers_[w - first] : nullptr, cluster_->process_of(w),
               *cluster_);
  }
  for (std::uint32_t r = rank_count(); r < universe(); ++r) {
    ranks_.add(*context_, nullptr, process(), *cluster_).state = Rank::State::dormant;
  }
}

// Each part uses only those before it.
void Job::make_parts() {
  balancer_ = std::make_unique<Balancer>(config_, load_clock_);
  step_ = std::make_unique<BalancingStep>(*context_, *balancer_);
  cluster_->on_reads_ended = [this] { step_->reads_ended(); };
  termination_ = std::make_unique<Termination>(*context_);
  spawning_ = std::make_unique<Spawning>(*context_, *termination_);
  context_->step = step_.get();
  context_->spawning = spawning_.get();
  timeline_parts_ = std::make_unique<TimelineParts>(cluster_->self(), *control_, timeline_.get());
  if (config_.notices != nullptr) {
    failures_ = std::make_unique<Failures>(*context_, *config_.notices);
    context_->failures = failures_.get();
    context_->process_died = [this](ProcessId process) {
      termination_->process_died();
      spawning_->process_died(process);
    };
  }
  if (config_.lb_continuous) {
    continuous_balancer_ = std::make_unique<ContinuousBalancer>(*context_);
  }
  for (const auto& worker : own_workers_) {
    worker->attach(*context_, continuous_balancer_.get());
  }
}

bool Job::owns(const Worker& worker) const { return &BalancingWorker::of(worker).job() == this; }

std::unique_ptr<Team> Job::make_team(std::span<Rank* const> members) const {
  return std::make_unique<Team>(std::vector<Member*>(members.begin(), members.end()), workers_,
                                config_.ranks <= worker_count());
}

placement::JobShape Job::shape() const {
  placement::JobShape shape{.workers = {}, .hosts = config_.named_hosts.empty() ? config_.hosts : config_.named_hosts};
  for (std::uint32_t p = 0; p < cluster_->process_count(); ++p) {
    shape.workers.push_back(cluster_->first_worker(ProcessId{p + 1}) - cluster_->first_worker(ProcessId{p}));
  }
  return shape;
}

std::vector<std::uint32_t> Job::first_workers() const {
  if (!config_.first_processes.empty()) {
    return placement::place_in_processes(config_.first_processes, shape());
  }
  return placement::place_ranks(config_.mapping, shape(), config_.ranks);
}

std::uint32_t Job::process_count() const { return cluster_->process_count(); }
ProcessId Job::process() const { return cluster_->self(); }
std::uint32_t Job::total_workers() const { return cluster_->worker_count(); }
std::uint32_t Job::global_number(const Worker& worker) const { return BalancingWorker::of(worker).global_number(); }

// Frees the messages that were not received.
Job::~Job() {
  if (failures_ != nullptr) {
    failures_->stop();
  }
  cluster_->unexpected_memory().close();
  for (const auto& worker : workers_) {
    worker->deliver_inbox();  // items that came after the last rank had ended
  }
  failures_.reset();
  for (std::uint32_t r = 0; r < universe(); ++r) {
    Rank& rank = ranks_[r];
    std::vector<Envelope*> left;
    rank.mailbox.for_each_unexpected([&](Envelope& message) { left.push_back(&message); });
    for (Envelope* message : left) {
      rank.mailbox.remove(*message);
      if (message->fetched) {
        drop_fetched(*cluster_, *message);
      }
      EnvelopePool& home = *pools_[message->home];
      home.release(*message, home);
    }
  }
}

int Job::run() {
  if (failures_ != nullptr) {
    failures_->start();
  }
  std::optional<CoreBinding> cores;
  if (config_.bind && config_.bound_to.empty()) {
    cores.emplace(config_.workers);
  }
  std::vector<std::vector<RankContext*>> homes(config_.workers);
  if (config_.restart.empty()) {
    homes = initial_ranks(*this);
  } else {
    main_thread_->post([this] { step_->restore(); });
  }
  const auto run_worker = [&](std::uint32_t w) {
    const auto core = cores                         ? cores->bind_this_thread(w)
                      : w < config_.bound_to.size() ? bind_worker_to(config_.bound_to[w])
                                                    : std::nullopt;
    try {
      workers_[w]->run(homes[w], core, {.clock = &load_clock_, .is_needed = config_.load_clock != "auto"});
    } catch (const std::exception& error) {
      main_thread_->worker_failed(fmt::format("weftrun: {}", error.what()));
    }
  };
  std::vector<std::thread> threads;
  try {
    for (std::uint32_t w = 0; w < config_.workers; ++w) {
      threads.push_back(base::start_thread("a worker's thread", [&, w] { run_worker(w); }));
    }
  } catch (const std::runtime_error& error) {
    main_thread_->worker_failed(fmt::format("weftrun: {}", error.what()));  // which ends the job: others run already
  }
  if (const std::string failure = main_thread_->run([this] { return look_for_deadlock(); }); !failure.empty()) {
    abort(1, failure);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  step_->report_no_step();
  if (number(process()) == 0) {
    balancer_->print_summary();
  }
  if (continuous_balancer_ != nullptr && config_.lb_summary != "none") {
    std::fputs(continuous_balancer_->summary().c_str(), stderr);
  }
  int code = ranks_.spawned_exit_code;
  for (std::uint32_t r = 0; r < universe(); ++r) {
    code = std::max(code, low_byte(ranks_[r].exit_code));
  }
  end_timeline(code);
  return code;
}

// What a recording contains about the whole job.
trace::Manifest Job::manifest(int exit_code) const {
  trace::Manifest manifest;
  if (!config_.command.empty()) {
    manifest.program = config_.command.front();
    manifest.arguments.assign(config_.command.begin() + 1, config_.command.end());
  }
  manifest.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  manifest.exit_code = exit_code;
  for (std::uint32_t r = rank_count(); r < universe(); ++r) {
    manifest.spawned += ranks_[r].load.cycles != 0 ? 1 : 0;
  }
  manifest.settings = {.eager_bytes = config_.eager_bytes,
                       .lb = config_.lb,
                       .lb_when = rule_of(config_),
                       .lb_model = config_.lb_model,
                       .lb_links = lb::text_of(balancer_->decider().links()),
                       .lb_continuous = config_.lb_continuous};
  manifest.placement = first_workers();
  return manifest;
}

void Job::end_timeline(int exit_code) {
  if (timeline_ == nullptr) {
    return;
  }
  const std::vector<std::byte> part = timeline_->part(cores_of_workers());
  control_->send_control(ProcessId{}, TimelinePart{part});
  if (number(process()) != 0) {
    return;
  }
  while (timeline_->parts() < process_count()) {
    if (!cluster_->poll()) {
      std::this_thread::yield();
    }
  }
  timeline_->write(manifest(exit_code));
}

}  // namespace job
}  // namespace weft::runtime
