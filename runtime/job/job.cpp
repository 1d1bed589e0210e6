#include "runtime/job/job.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "runtime/job/deadlock.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/topology/cores.hpp"
#include "runtime/worker/worker.hpp"

namespace weft::runtime {
namespace {

constexpr std::size_t kMostEagerBytes = std::size_t{1} << 30;  // an envelope counts its payload in 32 bits

// Block mapping: neighbours in rank number share a worker.
std::uint32_t first_rank_of(std::uint32_t worker, const JobConfig& config) {
  return static_cast<std::uint32_t>(std::uint64_t{worker} * config.ranks / config.workers);
}

std::vector<Rank*> pointers(const std::vector<std::unique_ptr<Rank>>& ranks) {
  std::vector<Rank*> result;
  result.reserve(ranks.size());
  for (const auto& rank : ranks) {
    result.push_back(rank.get());
  }
  return result;
}

// The system keeps eight bits: -1 is 255, 256 is 0.
int kept_of_exit_code(int code) { return code & 0xff; }

constexpr std::size_t kLargestEager = std::size_t{1} << 30;

JobConfig adapted(JobConfig config) {
  if (config.ranks == 0 || config.workers == 0 || config.lb_period == 0) {
    throw std::invalid_argument("a job needs at least one rank, one worker and a balancing period of at least one");
  }
  config.eager_bytes = std::min(config.eager_bytes, kMostEagerBytes);
  config.workers = std::min(config.workers, config.ranks);
  config.eager_bytes = std::min(config.eager_bytes, kLargestEager);
  return config;
}

}  // namespace

Job::State::State(Job& job, std::uint32_t ranks)
    : live_ranks(ranks), everyone(pointers(job.ranks_), job.config_.workers) {
  strategy = lb::make_strategy(job.config_.lb);
  if (strategy == nullptr) {
    throw std::invalid_argument(fmt::format("there is no balancing strategy '{}'", job.config_.lb));
  }
  planned.resize(ranks);
  for (const auto& rank : job.ranks_) {
    rank->teams.push_back(&everyone);
  }
}

void Job::State::rank_ended(Job& job) {
  if (live_ranks.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
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

Job::Job(JobConfig config, Program& program, Client* client)
    : config_(adapted(std::move(config))), program_(program), client_(client) {
  for (std::uint32_t w = 0; w < config_.workers; ++w) {
    workers_.push_back(std::make_unique<Worker>(WorkerId{w}, *this));
  }
  ranks_.reserve(config_.ranks);
  for (std::uint32_t w = 0; w < config_.workers; ++w) {
    for (std::uint32_t r = first_rank_of(w, config_); r < first_rank_of(w + 1, config_); ++r) {
      ranks_.push_back(std::make_unique<Rank>(RankId{r}, *this, *workers_[w]));
    }
  }
  state_ = std::make_unique<State>(*this, config_.ranks);
}

// Messages that nobody received end with the job.
Job::~Job() {
  for (const auto& rank : ranks_) {
    std::vector<Envelope*> left;
    rank->mailbox.for_each_unexpected([&](Envelope& message) { left.push_back(&message); });
    for (Envelope* message : left) {
      rank->mailbox.remove(*message);
      workers_[message->home]->pool().give(*message, workers_[message->home]->pool());
    }
  }
}

int Job::run() {
  const std::vector<std::uint32_t> cores = allowed_cores();
  const bool bind = config_.bind && config_.workers <= cores.size();
  if (config_.workers > cores.size()) {
    config_.spin_us = 0;
  }
  const std::vector<Rank*> all = pointers(ranks_);
  std::vector<std::thread> threads;
  for (std::uint32_t w = 0; w < config_.workers; ++w) {
    threads.emplace_back([&, w] {
      if (bind) {
        bind_this_thread(cores[w]);
      }
      const std::uint32_t first = first_rank_of(w, config_);
      try {
        workers_[w]->run(std::span(all).subspan(first, first_rank_of(w + 1, config_) - first));
      } catch (const std::exception& error) {
        state_->worker_failed(error.what());
      }
    });
  }
  watch();
  for (std::thread& thread : threads) {
    thread.join();
  }
  int code = 0;
  for (const auto& rank : ranks_) {
    code = std::max(code, kept_of_exit_code(rank->exit_code));
  }
  return code;
}

void Job::watch() {
  std::unique_lock lock(state_->mutex);
  for (;;) {
    state_->changed.wait(lock, [&] { return state_->all_ended || state_->all_asleep || !state_->failure.empty(); });
    if (!state_->failure.empty()) {
      abort(1, state_->failure);
    }
    if (state_->all_ended) {
      return;
    }
    state_->all_asleep = false;
    // A worker counts itself just before it sleeps: look again until it does, or until one wakes.
    while (state_->sleepers.load(std::memory_order_acquire) == config_.workers && !state_->all_ended) {
      if (nothing_under_way(*this, state_->sleeps)) {
        abort(1, deadlock_report(*this));
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
  if (config_.before_abort) {
    config_.before_abort();
  }
  std::fprintf(stderr, "%s\n", message.c_str());
  std::fflush(nullptr);
  const int kept = kept_of_exit_code(code);
  _exit(kept == 0 ? 1 : kept);
}

}  // namespace weft::runtime
