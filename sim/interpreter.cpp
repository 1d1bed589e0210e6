#include "sim/interpreter.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sim/prefetch.hpp"

namespace weft::sim {
namespace {

void make_ranks(const Workload& workload, const Pairing& pairing, const ReplayOptions& options, SimState& state,
                Messaging& messaging) {
  const auto count = static_cast<std::uint32_t>(workload.streams.size());
  const auto workers = static_cast<std::uint32_t>(state.workers.size());
  std::vector<std::uint32_t>& homes = state.homes;
  homes = options.homes.empty() ? block_homes(count, workers) : options.homes;
  if (homes.size() != count || std::ranges::max(homes) >= workers) {
    throw WorkloadError(fmt::format("{} homes on {} workers for {} ranks", homes.size(), workers, count));
  }
  state.ranks.resize(count);
  for (std::uint32_t number = 0; number < count; ++number) {
    const Stream& stream = workload.streams[number];
    const Template& pattern = workload.templates[stream.pattern];
    RankState& rank = state.ranks[number];
    rank.code = rank.next = workload.actions.data() + pattern.first_action;
    rank.channels = pairing.number.data() + pairing.first[number];
    rank.values = workload.values.data() + stream.first_value;
    rank.scale = stream.scale;
    rank.first_request = messaging.add_requests(pattern.requests);
    ++state.worker_of(number).ranks;
  }
}

void make_channels(const Workload& workload, const Pairing& pairing, const SimState& state, Messaging& messaging) {
  messaging.add_channels(pairing.channels);
  for (std::uint32_t number = 0; number < state.ranks.size(); ++number) {
    const Template& pattern = workload.templates[workload.streams[number].pattern];
    for (std::uint32_t i = 0; i < pattern.channels; ++i) {
      if (workload.channels[pattern.first_channel + i].end == ChannelEnd::receiver) {
        messaging.set_receiver(state.ranks[number].channels[i], number);
      }
    }
  }
}

void jump(RankState& rank, const Action& action) {
  if (action.kind == ActionKind::loop) {
    rank.times_left[action.request] = static_cast<std::uint32_t>(action.value);
    ++rank.next;
  } else {
    rank.next = --rank.times_left[action.request] != 0 ? rank.code + action.index : rank.next + 1;
  }
}

// An action of the rank is over. After a wait the caches hold what the rank needs in MPI.
void note_wait(SimState& state, std::uint32_t number, ActionKind kind) {
  const bool waits = kind == ActionKind::recv || kind == ActionKind::wait || kind == ActionKind::collective;
  if (waits && !state.cold_costs.empty()) {
    state.ranks[number].computed_before = state.worker_of(number).computed;
  }
}

[[noreturn]] void refuse_deadlock(const SimState& state, const Workload& workload, std::uint32_t running) {
  const auto waits = [](const RankState& rank) { return rank.status != RankStatus::ended; };
  const auto first = std::ranges::find_if(state.ranks, waits);
  const auto number = static_cast<std::size_t>(first - state.ranks.begin());
  throw WorkloadError(fmt::format("{} ranks wait for each other: the first is rank {}, at action {} of template {}",
                                  running, number, first->next - first->code, workload.streams[number].pattern));
}

}  // namespace

Interpreter::Interpreter(const Workload& workload, const Platform& platform, const ReplayOptions& options)
    : workload_(workload),
      messaging_(platform, options.network, state_),
      pending_(state_, messaging_),
      collectives_(workload, platform, state_, messaging_),
      balancing_(platform, options, state_, messaging_),
      scheduler_(state_, platform.switch_cost),
      pairing_(pair_channels(workload)),
      running_(static_cast<std::uint32_t>(workload.streams.size())) {
  for (std::uint32_t worker = 0; worker < platform.workers.size(); ++worker) {
    state_.workers.emplace_back(platform.workers[worker].speed, platform.shares_of(worker));
  }
  state_.places = platform.workers;
  state_.cold_costs = ColdCosts(platform.cold_caches);
  state_.timeline = options.timeline;
  make_ranks(workload, pairing_, options, state_, messaging_);
  make_channels(workload, pairing_, state_, messaging_);
  balancing_.begin(state_.ranks.size());
  if (options.timeline != nullptr) {
    options.timeline->begin(running_, state_.workers.size());
  }
  result_.strategy = options.balancing.strategy;
  result_.when = options.balancing.when;
  result_.ended.resize(running_);
}

ReplayResult Interpreter::run() {
  for (std::uint32_t number = 0; number < running_; ++number) {
    state_.events.add(0.0, SimEventKind::wake, number);
  }
  while (!state_.events.empty()) {
    const Event event = state_.events.pop();
    prefetch_next(state_, messaging_);
    handle(event);
    if (balancing_.advance_step(running_)) {
      collectives_.invalidate_locality();
    }
  }
  if (running_ != 0) {
    refuse_deadlock(state_, workload_, running_);
  }
  result_.makespan = std::ranges::max(result_.ended);
  result_.actions = actions_;
  result_.events = state_.events.added();
  result_.messages = messaging_.counts().messages;
  result_.bytes = messaging_.counts().bytes;
  for (const WorkerState& worker : state_.workers) {
    result_.busy.push_back(worker.busy);
  }
  result_.iterations = std::move(balancing_.iterations());
  result_.iteration_ends = balancing_.iteration_ends();
  result_.steps = std::move(balancing_.steps());
  return std::move(result_);
}

void Interpreter::handle(const Event& event) {
  switch (event.kind) {
    case SimEventKind::advance_calls:
      if (!pending_.can_advance(event.target, event.time)) {
        return;
      }
      [[fallthrough]];
    case SimEventKind::wake: {
      scheduler_.enqueue(event.target);
      WorkerState& worker = state_.worker_of(event.target);
      if (worker.running == kNobody) {
        worker.idle_to(event.time);
        run_worker(state_.homes[event.target], false);
      }
      return;
    }
    case SimEventKind::retry:
      return run_worker(event.target, true);
    case SimEventKind::enter_out:
      return messaging_.on_enter_out(event.target, event.time);
    case SimEventKind::enter_in:
      return messaging_.on_enter_in(event.target, event.time);
    case SimEventKind::end_flows:
      return messaging_.on_end_flows(event.time);
    case SimEventKind::update_rates:
      return messaging_.on_update_rates(event.time);
  }
}

void Interpreter::run_worker(std::uint32_t number, bool is_caught_up) {
  WorkerState& worker = state_.workers[number];
  is_caught_up_ = is_caught_up;
  while (worker.running != kNobody || scheduler_.dispatch(worker)) {
    if (state_.timeline != nullptr) {
      state_.timeline->begin_run(number, worker.now);
    }
    const ActionResult result = run_rank(worker.running);
    if (state_.timeline != nullptr) {
      state_.timeline->end_run(number, worker.running, worker.now);
    }
    if (result == ActionResult::retries) {
      state_.events.add(worker.now, SimEventKind::retry, number);
      return;
    }
    worker.running = kNobody;
    is_caught_up_ = false;
  }
}

Interpreter::ActionResult Interpreter::run_rank(std::uint32_t number) {
  RankState& rank = state_.ranks[number];
  while (true) {
    const Action& action = *rank.next;
    if (state_.timeline != nullptr && rank.after_call == nullptr) {
      state_.timeline->enter(state_.homes[number], number, action.kind, state_.worker_of(number).now);
    }
    ActionResult result = ActionResult::completed;
    switch (action.kind) {
      case ActionKind::compute:
        compute(number, action);
        break;
      case ActionKind::send:
      case ActionKind::isend:
      case ActionKind::recv:
      case ActionKind::irecv:
        result = message(number, action);
        break;
      case ActionKind::wait:
        result = wait(number, rank.request_base() + action.request, action.index);
        break;
      case ActionKind::loop:
      case ActionKind::end_loop:
        jump(rank, action);
        continue;
      case ActionKind::phase:
        break;
      case ActionKind::collective:
        result = collective(number, action);
        break;
      case ActionKind::migrate:
        result = migrate(number, action);
        break;
      case ActionKind::stop:
        if (rank.after_call == nullptr) {
          end(number);
          return ActionResult::waits;
        }
        rank.next = std::exchange(rank.after_call, nullptr);
        leave_call(number);
        continue;
    }
    if (result == ActionResult::enters_call) {
      continue;
    }
    if (result != ActionResult::completed) {
      rank.status = result == ActionResult::waits ? RankStatus::waiting : rank.status;
      return result;
    }
    is_caught_up_ = false;
    rank.begun = false;
    note_wait(state_, number, action.kind);
    ++rank.next;
    actions_ += rank.after_call == nullptr ? 1 : 0;
    if (rank.after_call == nullptr) {
      leave_call(number);
    }
  }
}

void Interpreter::leave_call(std::uint32_t number) {
  if (state_.timeline != nullptr) {
    state_.timeline->leave(state_.homes[number], number, state_.worker_of(number).now);
  }
}

void Interpreter::compute(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  const bool listed = action.detail == static_cast<std::uint8_t>(WorkDetail::listed);
  const double times = listed ? static_cast<double>(*rank.values++) : 1.0;
  const bool in_call = rank.after_call != nullptr;
  const Seconds work = action.seconds() * times * (in_call ? 1.0 : rank.scale);  // calls cost all ranks the same
  SimState::charge(state_.worker_of(number), rank, work);
  state_.worker_of(number).computed += in_call ? 0.0 : work;
}

Interpreter::ActionResult Interpreter::message(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  const bool sends = action.kind == ActionKind::send || action.kind == ActionKind::isend;
  const bool blocks = action.kind == ActionKind::send || action.kind == ActionKind::recv;
  const MessageEnd end{number, rank.request_base() + action.request};
  if (!rank.begun) {
    if (rank.after_call == nullptr) {
      prefetch_messages(rank, messaging_);
    }
    const std::uint32_t channel = rank.after_call != nullptr ? action.index : rank.channels[action.index];
    rank.begun = true;
    if (sends && messaging_.send(end, channel, action.value)) {
      messaging_.request(end.request) = {};  // it is complete
      return ActionResult::completed;
    }
    if (!sends) {
      messaging_.receive(end, channel);
    }
  }
  return blocks ? wait(number, end.request, 1) : ActionResult::completed;
}

Interpreter::ActionResult Interpreter::wait(std::uint32_t number, std::uint32_t first, std::uint32_t count) {
  RankState& rank = state_.ranks[number];
  WorkerState& worker = state_.worker_of(number);
  if (rank.has_pending_calls) {
    return wait_with_calls(number, first, count);
  }
  Seconds latest = 0.0;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const Request& request = messaging_.request(i);
    if (!request.is_known()) {
      return wait_for_unknown(number, first, count);
    }
    latest = std::max(latest, request.done);
  }
  if (latest > worker.now) {
    if (worker.ranks > 1) {
      state_.events.add(latest, SimEventKind::wake, number);
      return ActionResult::waits;
    }
    if (state_.timeline != nullptr) {
      state_.timeline->end_run(state_.homes[number], number, worker.now);
      state_.timeline->begin_run(state_.homes[number], latest);
    }
    worker.idle_to(latest);  // no other rank is on this worker
  }
  const ColdCost cold = state_.cold_cost(worker, rank);
  Seconds work = 0.0;
  for (std::uint32_t i = first; i < first + count; ++i) {
    work += messaging_.retire(i, worker, cold);
  }
  SimState::charge(worker, rank, work);
  return ActionResult::completed;
}

Interpreter::ActionResult Interpreter::wait_for_unknown(std::uint32_t number, std::uint32_t first,
                                                        std::uint32_t count) {
  RankState& rank = state_.ranks[number];
  const WorkerState& worker = state_.worker_of(number);
  if (worker.ranks > 1 && is_ahead(worker)) {
    return ActionResult::retries;
  }
  rank.wait_until = 0.0;
  rank.wait_count = 0;
  for (std::uint32_t i = first; i < first + count; ++i) {
    Request& request = messaging_.request(i);
    if (request.is_known()) {
      rank.wait_until = std::max(rank.wait_until, request.done);
    } else {
      request.done = Request::kAwaited;
      ++rank.wait_count;
    }
  }
  return ActionResult::waits;
}

// As in the runtime, a rank enters a balancing step only when its pending collective calls are complete.
Interpreter::ActionResult Interpreter::migrate(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  if (!rank.begun && rank.has_pending_calls && balancing_.is_due(number)) {
    const ActionResult result = advance_calls(number);
    if (result == ActionResult::retries) {
      return result;
    }
    if (rank.has_pending_calls) {
      pending_.await(number, {});
      return ActionResult::waits;
    }
  }
  if (rank.begun || !balancing_.call(number, action)) {
    return ActionResult::completed;
  }
  rank.begun = true;
  return ActionResult::waits;
}

void Interpreter::end(std::uint32_t number) {
  RankState& rank = state_.ranks[number];
  WorkerState& worker = state_.worker_of(number);
  rank.status = RankStatus::ended;
  result_.ended[number] = worker.now;
  --worker.ranks;
  --running_;
}

}  // namespace weft::sim
