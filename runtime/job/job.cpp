#include "runtime/job/job.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/say.hpp"
#include "base/thread_start.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/lbstep/step.hpp"
#include "runtime/location/continuous_balancer.hpp"
#include "runtime/location/sharing_worker.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/p2p/fetched.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/spawning/spawning.hpp"
#include "runtime/sync/team.hpp"
#include "runtime/termination/deadlock.hpp"
#include "runtime/termination/termination.hpp"
#include "runtime/timeline/timeline.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
namespace {

// Should the rest of an abort hang, such as in a stream that a blocked thread holds.
void end_at_last(int code) {
  constexpr unsigned kPatienceSeconds = 20;
  static std::atomic<int> exit_code;
  exit_code.store(code);
  std::signal(SIGALRM, [](int) { ::_exit(exit_code.load()); });
  ::alarm(kPatienceSeconds);
}

std::unique_ptr<Timeline> timeline_of(const JobConfig& config, ProcessId process) {
  if (config.trace.empty() && config.otf2.empty()) {
    return nullptr;
  }
  return std::make_unique<Timeline>(
      TimelineOptions{.file = config.trace, .folder = config.otf2, .most_bytes = config.trace_bytes}, process,
      config.workers, config.host_of(number(process)));
}

// Nobody is to hear of loads: then there is nothing to look for.
LoadClock load_clock_of(const JobConfig& config) {
  const bool balances = config.lb != "none" || config.share;
  return choose_load_clock(config.load_clock == "auto" && !balances ? "tsc" : config.load_clock);
}

constexpr std::size_t kMostEagerBytes = std::size_t{1} << 30;  // an envelope counts its payload in 32 bits

// Block mapping: neighbours in rank number share a worker, and neighbouring workers a process.
std::uint32_t first_rank_of(std::uint32_t worker, std::uint32_t workers, std::uint32_t ranks) {
  return static_cast<std::uint32_t>(std::uint64_t{worker} * ranks / workers);
}

// The ranks of each worker of this process.
std::vector<std::vector<RankContext*>> residents(const Job& job) {
  std::vector<std::vector<RankContext*>> homes(job.worker_count());
  for (std::uint32_t r = 0; r < job.rank_count(); ++r) {
    if (const Worker* const home = job.rank(r).worker.load(std::memory_order_relaxed); home != nullptr) {
      homes[number(home->id())].push_back(&job.rank(r));
    }
  }
  return homes;
}

// The system keeps eight bits: -1 is 255, 256 is 0.
int kept_of_exit_code(int code) { return code & 0xff; }

JobConfig adapted(JobConfig config, const Cluster* cluster) {
  if (config.ranks == 0 || config.workers == 0 || config.lb_period == 0) {
    throw std::invalid_argument("a job needs at least one rank, one worker and a balancing period of at least one");
  }
  config.eager_bytes = std::min(config.eager_bytes, kMostEagerBytes);
  if (cluster == nullptr) {
    config.workers = std::min(config.workers, config.ranks + (config.idle_workers ? config.spare : 0));
  }
  if (config.workers > allowed_cores().size()) {  // who spins takes the core of who works
    config.spin_us = 0;
    config.idle_spin_us = 0;
  }
  return config;
}

std::unique_ptr<Cluster> alone(const JobConfig& config) {
  return std::make_unique<Cluster>(ProcessId{}, std::vector<std::uint32_t>{config.workers});
}

// To process 0, once no worker of the sender runs any more.
struct TimelinePart {
  static constexpr ControlKind kKind = ControlKind::timeline_part;
  std::span<const std::byte> bytes;
};

}  // namespace

// Process 0's: hands over what the others send.
class Job::TimelineParts final : public ControlHandler {
 public:
  TimelineParts(ProcessId self, ControlChannel& control, Timeline* timeline)
      : ControlHandler(self), timeline_(timeline) {
    control.set_handler(ControlPart::timeline, *this);
  }

 private:
  void on_control(ProcessId from, ControlKind kind, std::span<const std::byte> body) override {
    using Messages = ControlMessages<TimelinePart>;
    static_assert(Messages::are_all_of(ControlPart::timeline));
    base::check(timeline_ != nullptr, "a part of a timeline that this process does not write");
    Messages::dispatch(kind, body, [&](const TimelinePart& part) { timeline_->add_part(from, part.bytes); });
  }
  Timeline* const timeline_;
};

Job::State::State(Job& job) : balancer(job.config_, job.load_clock_) {
  for (const auto& rank : job.ranks_) {
    live_ranks += rank->worker.load(std::memory_order_relaxed) == nullptr ? 0 : 1;
  }
}

void Job::State::rank_ended(Job& job) {
  ++ended_ranks;
  if (live_ranks.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  job.termination_->ranks_ended(ended_ranks.exchange(0));
}

void Job::State::end(Job& job) {
  for (const auto& worker : job.workers_) {
    worker->end();
  }
  const std::lock_guard lock(mutex);
  all_ended = true;
  changed.notify_one();
}

void Job::State::worker_sleeps(Job& job) {
  sleeps.fetch_add(1, std::memory_order_acq_rel);
  if (sleepers.fetch_add(1, std::memory_order_acq_rel) + 1 == job.config_.workers) {
    const std::lock_guard lock(mutex);
    all_asleep = true;
    changed.notify_one();
  }
}

void Job::State::worker_failed(const std::string& why) {
  const std::lock_guard lock(mutex);
  failure = why;
  changed.notify_one();
}

void Job::State::post(std::function<void()> task) {
  const std::lock_guard lock(mutex);
  tasks.push_back(std::move(task));
  changed.notify_one();
}

Job::Job(JobConfig config, Program& program, Client* client, Cluster* cluster)
    : config_(adapted(std::move(config), cluster)),
      program_(program),
      client_(client),
      own_cluster_(cluster != nullptr ? nullptr : alone(config_)),
      cluster_(cluster != nullptr ? cluster : own_cluster_.get()),
      timeline_(timeline_of(config_, cluster_->self())),
      load_clock_(load_clock_of(config_)) {
  make_workers();
  ranks_.reserve(universe());
  const std::uint32_t first = cluster_->first_worker(cluster_->self());
  for (std::uint32_t w = 0; w < total_workers(); ++w) {
    Worker* const home = w - first < config_.workers ? workers_[w - first] : nullptr;
    const ProcessId process = cluster_->process_of(w);
    for (std::uint32_t r = first_rank_of(w, total_workers(), config_.ranks);
         r < first_rank_of(w + 1, total_workers(), config_.ranks); ++r) {
      ranks_.push_back(std::make_unique<Rank>(RankId{r}, *this, home, process, *cluster_));
    }
  }
  for (std::uint32_t r = rank_count(); r < universe(); ++r) {
    ranks_.push_back(std::make_unique<Rank>(RankId{r}, *this, nullptr, process(), *cluster_));
    ranks_.back()->state = Rank::State::dormant;
  }
  state_ = std::make_unique<State>(*this);
  cluster_->serve(*this);
  control_ = std::make_unique<ControlChannel>(*cluster_);
  step_ = std::make_unique<Step>(*cluster_, *control_);
  cluster_->on_reads_ended = [this] { step_->reads_ended(); };
  termination_ = std::make_unique<Termination>(*cluster_, *control_);
  spawning_ = std::make_unique<Spawning>(*cluster_, *control_);
  timeline_parts_ = std::make_unique<TimelineParts>(cluster_->self(), *control_, timeline_.get());
  next_balance_ = state_->balancer.next_call();
  if (config_.share) {
    placing_ = std::make_unique<ContinuousBalancer>(*this);
  }
  if (state_->balancer.wants_edges()) {
    for (const auto& rank : ranks_) {
      rank->traffic = std::make_unique<Traffic>();
    }
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
                               .remote = cluster_};
  for (std::uint32_t w = 0; w < config_.workers; ++w) {
    config.recorder = timeline_ == nullptr ? nullptr : &timeline_->recorder(w);
    config.bell = process_count() == 1 ? nullptr : cluster_->transport().bell(w);
    own_workers_.push_back(std::make_unique<SharingWorker>(*this, WorkerId{w}, hooks, config, messages));
    workers_.push_back(own_workers_.back().get());
    pools_[w] = &own_workers_.back()->pool();
  }
  pools_.back() = &cluster_->pool();
}

bool Job::owns(const Worker& worker) const { return &SharingWorker::of(worker).job() == this; }

std::unique_ptr<Team> Job::make_team(std::span<Rank* const> members) const {
  return std::make_unique<Team>(std::vector<Member*>(members.begin(), members.end()), workers_,
                                config_.ranks <= worker_count());
}

std::uint32_t Job::process_count() const { return cluster_->count(); }
ProcessId Job::process() const { return cluster_->self(); }
std::uint32_t Job::total_workers() const { return cluster_->worker_count(); }
std::uint32_t Job::global_number(const Worker& worker) const {
  return number(worker.id()) + cluster_->first_worker(cluster_->self());
}

// Messages that nobody received end with the job.
Job::~Job() {
  cluster_->unexpected_memory().close();
  for (const auto& worker : workers_) {
    worker->deliver_inbox();  // what came after the last rank had ended
  }
  for (const auto& rank : ranks_) {
    std::vector<Envelope*> left;
    rank->mailbox.for_each_unexpected([&](Envelope& message) { left.push_back(&message); });
    for (Envelope* message : left) {
      rank->mailbox.remove(*message);
      if (message->fetched) {
        drop_fetched(*cluster_, *message);
      }
      EnvelopePool& home = *pools_[message->home];
      home.give(*message, home);
    }
  }
}

int Job::run() {
  const std::vector<std::uint32_t> cores = allowed_cores();
  const bool bind = config_.bind && config_.workers <= cores.size();
  std::vector<std::vector<RankContext*>> homes(config_.workers);
  if (config_.restart.empty()) {
    homes = residents(*this);
  } else {
    state_->post([this] { step_->restore(); });
  }
  const auto run_worker = [&](std::uint32_t w) {
    std::optional<std::uint32_t> core;
    if (bind && bind_this_thread(cores[w])) {
      core = cores[w];
    }
    try {
      workers_[w]->run(homes[w], core, {.clock = &load_clock_, .is_needed = config_.load_clock != "auto"});
    } catch (const std::exception& error) {
      state_->worker_failed(fmt::format("weftrun: {}", error.what()));
    }
  };
  std::vector<std::thread> threads;
  try {
    for (std::uint32_t w = 0; w < config_.workers; ++w) {
      threads.push_back(base::start_thread("a worker's thread", [&, w] { run_worker(w); }));
    }
  } catch (const std::runtime_error& error) {
    state_->worker_failed(fmt::format("weftrun: {}", error.what()));  // which ends the job: others run already
  }
  watch();
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (config_.lb != "none" && number(process()) == 0) {
    state_->balancer.tell();
  }
  if (placing_ != nullptr && config_.lb_summary != "none") {
    std::fputs(placing_->summary().c_str(), stderr);
  }
  end_timeline();
  int code = 0;
  for (const auto& rank : ranks_) {
    code = std::max(code, kept_of_exit_code(rank->exit_code));
  }
  return code;
}

void Job::end_timeline() {
  if (timeline_ == nullptr) {
    return;
  }
  const std::vector<std::byte> part = timeline_->part();
  control_->send_control(ProcessId{}, TimelinePart{part});
  if (number(process()) != 0) {
    return;
  }
  while (timeline_->parts() < process_count()) {
    if (!cluster_->poll()) {
      std::this_thread::yield();
    }
  }
  timeline_->write();
}

void Job::watch() {
  std::unique_lock lock(state_->mutex);
  for (;;) {
    state_->changed.wait(lock, [&] {
      return state_->all_ended || state_->all_asleep || !state_->failure.empty() || !state_->tasks.empty();
    });
    if (!state_->failure.empty()) {
      abort(1, state_->failure);
    }
    if (!state_->tasks.empty()) {
      const std::function<void()> task = std::move(state_->tasks.front());
      state_->tasks.pop_front();
      lock.unlock();
      task();
      lock.lock();
      continue;
    }
    if (state_->all_ended) {
      return;
    }
    state_->all_asleep = false;
    // A worker counts itself just before it sleeps: look again until it does, or until one wakes.
    while (state_->sleepers.load(std::memory_order_acquire) == config_.workers && !state_->all_ended &&
           state_->tasks.empty()) {
      if (nothing_under_way(*this, state_->sleeps)) {
        if (process_count() == 1) {
          abort(1, deadlock_report(*this));
        }
        lock.unlock();
        const bool told = termination_->nothing_runs();
        lock.lock();
        if (told) {
          break;
        }
        // Something is still on its way out: no worker need wake when that is over.
      }
      state_->changed.wait_for(lock, std::chrono::milliseconds(1));
    }
  }
}

void Job::abort(int code, const std::string& message) {
  if (state_->aborts.test_and_set()) {
    for (;;) {
      ::pause();  // another thread ends the process, and says why
    }
  }
  const int kept = kept_of_exit_code(code) == 0 ? 1 : kept_of_exit_code(code);
  end_at_last(kept);
  if (config_.before_abort) {
    config_.before_abort();
  }
  base::say(message + "\n");
  std::fflush(nullptr);
  if (config_.end_processes) {
    config_.end_processes(kept);
  }
  _exit(kept);
}

}  // namespace weft::runtime
