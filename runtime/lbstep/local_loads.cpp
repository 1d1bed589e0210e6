#include "runtime/lbstep/local_loads.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/memory_capacity.hpp"
#include "lb/migbsp_history.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/setup/program.hpp"
#include "runtime/setup/upper_layer.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
inline namespace lbstep {
const char* why_pinned(const JobContext& job, const Rank& me) {
  if (me.noncontiguous_sends != 0) {
    return "it sends elements with gaps";
  }
  if (const char* const why = job.upper_layer == nullptr ? nullptr : job.upper_layer->why_pinned(me); why != nullptr) {
    return why;
  }
  return job.program.why_pinned(me.id, job.config.has_several_hosts());
}

LocalLoads::LocalLoads(const JobContext& job)
    : job_(job),
      bytes_(job.ranks.at_start()),
      supersteps_(lb::looks_at_patterns(job.config.lb) ? std::make_unique<Supersteps>(job.ranks.at_start()) : nullptr) {
}

bool LocalLoads::arrive(Rank& me, const StepOptions& options) {
  const bool several = job_.cluster.process_count() > 1;
  const bool may_pack = several || job_.config.repack || !options.checkpoint.empty() || job_.config.saves_ranks();
  me.pinned_because = may_pack ? why_pinned(job_, me) : nullptr;
  if (options.balance && several) {
    bytes_[number(me.id)] = job_.program.bytes_to_move(me.id, __builtin_frame_address(0));
  }
  // Pairs with arrive() of the other ranks: the last one collects what they have written. No rank ends meanwhile.
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 != job_.ranks.live.load()) {
    return false;
  }
  arrived_.store(0, std::memory_order_relaxed);
  return true;
}

StepArrival LocalLoads::collect(const Rank& last, const StepOptions& options) {
  StepArrival arrival;
  arrival.call = last.migrate_calls;
  arrival.balance = options.balance;
  arrival.process = number(job_.cluster.self());
  arrival.checkpoint = options.checkpoint;
  arrival.image = options.image;
  for (std::uint32_t r = 0; r < job_.ranks.at_start(); ++r) {
    if (Rank& rank = job_.ranks[r]; RankTable::lives_here(rank)) {
      ++arrival.live;
      note_pinned(rank, arrival);
      if (options.balance) {
        arrival.ranks.push_back(report_of(rank, arrival));
      }
    }
  }
  if (options.balance) {
    add_workers(arrival);
  }
  if (job_.config.survive) {
    arrival.private_bytes = base::private_memory();
    arrival.evacuates = job_.config.resize_request && job_.config.resize_request->take_evacuation_request();
  }
  return arrival;
}

void LocalLoads::note_pinned(const Rank& rank, StepArrival& arrival) {
  if (rank.pinned_because != nullptr && arrival.pinned.empty()) {
    arrival.pinned = fmt::format("rank {}: {}", number(rank.id), rank.pinned_because);
  }
}

RankReport LocalLoads::report_of(Rank& rank, StepArrival& arrival) {
  const std::uint32_t r = number(rank.id);
  if (rank.traffic != nullptr) {
    for (const auto& [to, sent] : rank.traffic->by_receiver()) {
      arrival.edges.push_back({.from = r, .to = to, .messages = sent.messages, .bytes = sent.bytes});
    }
    rank.traffic->clear();
  }
  const std::uint32_t home = worker_of(rank);
  const bool is_declared = rank.load.is_declared();  // until take_seconds()
  return {.seconds = rank.load.take_seconds(),
          .rank = r,
          .worker = home,
          .wanted = rank.wanted(home),
          .may_leave = rank.pinned_because == nullptr && job_.config.ranks_may_leave,
          .is_declared = is_declared,
          .bytes = bytes_[r],
          .supersteps = supersteps_ ? supersteps_->take(r) : std::vector<SuperstepReport>()};
}

void LocalLoads::add_workers(StepArrival& arrival) {
  arrival.host = job_.config.host_of(arrival.process);
  for (const trace::WorkerInterval& interval : intervals_.next(job_.workers)) {
    const auto core = job_.workers[arrival.workers.size()]->meter().core();
    arrival.workers.push_back({.interval = interval, .numa = core ? numa_of(*core) : 0});
  }
}

StepArrival LocalLoads::without_ranks() {
  StepArrival arrival;
  arrival.process = number(job_.cluster.self());
  add_workers(arrival);
  return arrival;
}

std::uint32_t LocalLoads::worker_of(const Rank& rank) const {
  return job_.cluster.first_worker(job_.cluster.self()) + number(rank.worker.load(std::memory_order_relaxed)->id());
}

}  // namespace lbstep
}  // namespace weft::runtime
