#include "runtime/termination/termination.hpp"

#include <optional>
#include <utility>

#include "runtime/control/cluster.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/sched/main_thread.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/termination/deadlock.hpp"

namespace weft::runtime {
inline namespace termination {
namespace {

constexpr ProcessId kFirst{};

}  // namespace

Termination::Termination(const JobContext& job)
    : ControlHandler(job.cluster.self()),
      job_(job),
      started_(job.cluster.process_count()),
      ended_(job.cluster.process_count()),
      search_(std::vector<ReportedState>(job.cluster.process_count())) {
  for (std::uint32_t r = 0; r < job.ranks.at_start(); ++r) {
    ++started_[number(job.ranks[r].process)];
  }
  job.control.set_handler(ControlPart::termination, *this);
}

void Termination::add_started_ranks(std::span<const std::uint32_t> workers) {
  const Guard guard(*this);
  for (const std::uint32_t worker : workers) {
    ++started_[number(job_.cluster.process_of(worker))];
  }
}

void Termination::on_control(ProcessId from, ControlKind kind, const ControlBody& body) {
  using Messages = ControlMessages<RanksEnded, AllEnded, ProcessIdle, IdleQuery, ReportQuery, DeadlockPart>;
  static_assert(Messages::are_all_of(ControlPart::termination));
  Messages::dispatch(kind, body, [&](auto message) { on(from, message); });
}

void Termination::on(ProcessId from, const RanksEnded& ended) {
  ended_[number(from)] = std::max(ended_[number(from)], ended.ranks);  // reports of two threads may overtake each other
  check_end();
}

// Only the sum counts, since ranks may have moved before they end: the difference of one process may be negative, and
// wraps around. Where processes may die ranks do not move.
void Termination::check_end() {
  std::uint32_t left = 0;
  for (std::uint32_t p = 0; p < ended_.size(); ++p) {
    left += is_lost(ProcessId{p}) ? 0 : started_[p] - ended_[p];
  }
  if (left == 0 && !is_over_) {
    job_.control.send_control_to_all(AllEnded{});
  }
}

bool Termination::is_lost(ProcessId process) const { return lost_processes_ && job_.cluster.is_lost(process); }

// The former coordinator may have died before it had sent AllEnded to all, and with the counts that it had been sent.
// So all report to the new one again, which may send AllEnded a second time.
void Termination::process_died() {
  const Guard guard(*this);
  lost_processes_ = true;
  if (job_.cluster.first_living_process() != job_.cluster.self()) {
    job_.ranks.reported = 0;
    report_ended_ranks(job_);
  } else if (is_over_) {
    job_.control.send_control_to_all(AllEnded{});
  } else {
    job_.ranks.reported = 0;
    report_ended_ranks(job_);
    check_end();
  }
}

void Termination::on(ProcessId /*from*/, const AllEnded& /*ended*/) {
  is_over_ = true;
  for (const auto& worker : job_.workers) {
    worker->end();
  }
  job_.main_thread.end();
}

void Termination::on(ProcessId from, const ProcessIdle& idle) {
  job_.main_thread.post([this, from, state = idle.state] { note_state(from, state); });
}

void Termination::on(ProcessId /*from*/, const IdleQuery& query) {
  job_.main_thread.post([this, round = query.round] {
    self_.ask(round);
    report_idle();
  });
}

void Termination::on(ProcessId /*from*/, const ReportQuery& /*query*/) {
  job_.main_thread.post([this] { job_.control.send_control(kFirst, DeadlockPart{blocked_ranks(job_)}); });
}

void Termination::on(ProcessId /*from*/, DeadlockPart& part) {
  job_.main_thread.post([this, blocked = std::move(part.blocked)] { note_report(blocked); });
}

bool Termination::asleep() const {
  const Cluster& cluster = job_.cluster;
  // Pairs with Remote::end_read(): after the last read, its acknowledgement has been sent and counted.
  return nothing_under_way(job_) && cluster.transport().may_sleep() && cluster.transport().is_drained() &&
         cluster.rendezvous_reads.load(std::memory_order_acquire) == 0;
}

// The counts are read first, so that no message that was under way then is missed.
bool Termination::report_idle() {
  const std::uint64_t sent = job_.cluster.sent();
  const std::uint64_t received = job_.cluster.received();
  if (!asleep()) {
    return false;
  }
  if (const std::optional<IdleState> state = self_.report(sent, received); state.has_value()) {
    job_.control.send_control(kFirst, ProcessIdle{*state});
  }
  return true;
}

void Termination::note_state(ProcessId from, const IdleState& state) {
  switch (search_.note(number(from), state)) {
    case Search::Next::wait:
      break;
    case Search::Next::ask:
      job_.control.send_control_to_all(IdleQuery{search_.round()});
      break;
    case Search::Next::report:
      reports_missing_ = job_.cluster.process_count();
      job_.control.send_control_to_all(ReportQuery{});
      break;
  }
}

void Termination::note_report(const BlockedRanks& part) {
  blocked_.ranks.insert(blocked_.ranks.end(), part.ranks.begin(), part.ranks.end());
  blocked_.ended += part.ended;
  if (--reports_missing_ == 0) {
    job_.abort(1, deadlock_report(std::move(blocked_)));
  }
}

}  // namespace termination
}  // namespace weft::runtime
