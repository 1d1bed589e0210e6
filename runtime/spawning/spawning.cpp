#include "runtime/spawning/spawning.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "runtime/control/cluster.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/p2p/envelope.hpp"
#include "runtime/p2p/message_worker.hpp"
#include "runtime/p2p/remote.hpp"
#include "runtime/p2p/wire.hpp"
#include "runtime/sched/main_thread.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/setup/program.hpp"
#include "runtime/sync/arrival.hpp"
#include "runtime/termination/termination.hpp"

namespace weft::runtime {
inline namespace spawning {
namespace {

// Whether the message's sender waits until it is received.
bool keeps_sender_waiting(const Envelope& message) {
  return message.sender != nullptr || (message.remote_sender && !message.fetched);
}

std::vector<Envelope*> unexpected_messages(const Rank& rank) {
  std::vector<Envelope*> messages;
  rank.mailbox.for_each_unexpected([&](Envelope& message) { messages.push_back(&message); });
  return messages;
}

void drop_messages(Worker& here, Rank& rank) {
  for (Envelope* message : unexpected_messages(rank)) {
    rank.mailbox.remove(*message);
    end_envelope(rank.remote, MessageWorker::of(here).pool(), *message);
  }
}

// Whether the rank that has ended has requests, or others have some that refer to it: a send that has not been received
// keeps its sender waiting, as one to any other rank that has ended does.
bool has_pending_requests(const Rank& rank) {
  return rank.mailbox.posted() != 0 || !rank.registered_sends.empty() ||
         std::ranges::any_of(unexpected_messages(rank),
                             [](const Envelope* message) { return keeps_sender_waiting(*message); });
}

}  // namespace

// A pending request, on the stack of the rank that asked; pushed to its worker's inbox with the answer.
struct Spawning::Waiting : OwnedItem<Rank> {
  SpawnRequest request;
  std::shared_ptr<const World> world;
  std::string failure;
  std::uint32_t serial = 0;             // among the requests of the process
  ExecutionContext* context = nullptr;  // the owner's context that waits
  bool answered = false;                // touched by the worker only
};

Spawning::Spawning(const JobContext& job, Termination& termination)
    : ControlHandler(job.cluster.self()),
      job_(job),
      termination_(termination),
      answer_missing_(job.cluster.process_count()) {
  job.control.set_handler(ControlPart::spawning, *this);
  for (std::uint32_t r = job.ranks.at_start(); r < job.ranks.universe(); ++r) {
    free_numbers_.push_back(r);
  }
}

std::shared_ptr<const World> Spawning::spawn(Rank& me, SpawnRequest request, std::string& failure) {
  Spawning& here = *me.job_context.spawning;
  Waiting waiting;
  waiting.owner = &me;
  waiting.request = std::move(request);
  waiting.context = Worker::current()->context();
  waiting.deliver = [](Worker& worker, InboxItem& item) {
    auto& answer = static_cast<Waiting&>(item);
    answer.answered = true;
    worker.make_ready(*answer.context);
  };
  {
    const std::lock_guard lock(here.mutex_);
    waiting.serial = here.serial_++;
    here.waiting_.emplace(number(me.id), &waiting);
  }
  here.ask(number(me.id), waiting);
  while (!waiting.answered) {
    Worker::current()->park(*waiting.context);
  }
  failure = std::move(waiting.failure);
  return std::move(waiting.world);
}

// The main thread handles all messages, since some load programs, which takes long.
void Spawning::on_control(ProcessId from, ControlKind kind, const ControlBody& body) {
  using Messages = ControlMessages<SpawnAsked, SpawnWorld, SpawnReady, SpawnStart, SpawnNumberFree>;
  static_assert(Messages::are_all_of(ControlPart::spawning));
  Messages::dispatch(kind, body, [this, from](auto message) {
    job_.main_thread.post([this, from, message = std::move(message)]() mutable { on(from, message); });
  });
}

void Spawning::ask(std::uint32_t rank, const Waiting& waiting) {
  job_.control.send_control(job_.cluster.first_living_process(), SpawnAsked{rank, waiting.serial, waiting.request});
}

// Another process may learn of the former coordinator's death before this one, and send requests early; begin_next()
// waits until this process knows. A process may also repeat a request.
void Spawning::on(ProcessId from, SpawnAsked& asked) {
  if (!job_.cluster.loses_processes || seen_requests_.insert({number(from), asked.serial}).second) {
    requests_.push_back(std::move(asked));
    begin_next();
  }
}

void Spawning::on(ProcessId /*from*/, SpawnNumberFree& freed) {
  job_.ranks.spawned_exit_code = std::max(job_.ranks.spawned_exit_code.load(), freed.exit_code);
  free_numbers_.push_back(freed.rank);
  count_spawned();
}

// Called before any spawned rank starts, and after one has ended.
void Spawning::count_spawned() {
  job_.ranks.spawned.store(job_.ranks.universe() - job_.ranks.at_start() -
                           static_cast<std::uint32_t>(free_numbers_.size()));
}

void Spawning::begin_next() {
  while (!busy_ && !requests_.empty() && coordinator_ == job_.cluster.self()) {
    busy_ = true;
    World world;
    if (std::string failure = choose_world(requests_.front().request, world); !failure.empty()) {
      finish_request(std::move(failure));
      continue;
    }
    for (std::uint32_t p = 0; p < job_.cluster.process_count(); ++p) {
      answer_missing_[p] = lives(ProcessId{p});
    }
    failure_.clear();
    count_spawned();
    job_.control.send_control_to_all(SpawnWorld{std::move(world)});
  }
}

// Fills `world`. Returns why there can be no such world, or an empty text.
std::string Spawning::choose_world(SpawnRequest& request, World& world) {
  std::size_t least = 0;
  for (const auto& counts : request.counts) {
    least += counts.back();
  }
  if (least > free_numbers_.size()) {
    return fmt::format("{} ranks are asked for, and the universe of {} ranks has room for {} (weftrun --universe)",
                       least, job_.ranks.universe(), free_numbers_.size());
  }
  std::size_t room = free_numbers_.size();
  for (std::size_t i = 0; i < request.counts.size(); ++i) {
    const std::vector<std::uint32_t>& counts = request.counts[i];
    least -= counts.back();
    request.applications[i].ranks =
        *std::ranges::find_if(counts, [&](std::uint32_t count) { return count + least <= room; });
    room -= request.applications[i].ranks;
  }
  take_numbers(static_cast<std::uint32_t>(free_numbers_.size() - room), world);
  world.applications = std::move(request.applications);
  world.upper_layer_data = std::move(request.upper_layer_data);
  return {};
}

// Places ranks on workers in blocks, as the job's first ranks; fewer ranks than workers go to consecutive workers.
void Spawning::take_numbers(std::uint32_t ranks, World& world) {
  std::vector<std::uint32_t> living;
  for (std::uint32_t w = 0; w < job_.cluster.worker_count(); ++w) {
    if (lives(job_.cluster.process_of(w))) {
      living.push_back(w);
    }
  }
  const std::size_t workers = living.size();
  for (std::uint32_t rank_in_world = 0; rank_in_world < ranks; ++rank_in_world) {
    world.ranks.push_back(free_numbers_.front());
    free_numbers_.pop_front();
    const std::uint64_t step = ranks < workers ? rank_in_world : std::uint64_t{rank_in_world} * workers / ranks;
    world.workers.push_back(living[(next_worker_ + step) % workers]);
  }
  next_worker_ = static_cast<std::uint32_t>((next_worker_ + ranks) % workers);
  starting_numbers_ = world.ranks;
  starting_workers_ = world.workers;
}

bool Spawning::lives(ProcessId process) const {
  return !job_.cluster.loses_processes || !job_.cluster.is_lost(process);
}

Worker* Spawning::local_worker(std::uint32_t rank_in_world) const {
  const std::uint32_t home = starting_world_->workers[rank_in_world];
  return job_.cluster.process_of(home) == job_.cluster.self()
             ? job_.workers[home - job_.cluster.first_worker(job_.cluster.self())]
             : nullptr;
}

void Spawning::on(ProcessId from, SpawnWorld& announced) {
  announced_by_ = from;
  starting_world_ = std::make_shared<const World>(std::move(announced.world));
  registered_ranks_ = 0;
  std::string failure;
  try {
    load_programs();
    for (; registered_ranks_ < starting_world_->ranks.size(); ++registered_ranks_) {
      register_rank(registered_ranks_);
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  job_.control.send_control(from, SpawnReady{std::move(failure)});
}

void Spawning::load_programs() {
  std::uint32_t rank_in_world = 0;
  for (const Application& application : starting_world_->applications) {
    std::vector<RankId> here;
    for (const std::uint32_t end = rank_in_world + application.ranks; rank_in_world < end; ++rank_in_world) {
      if (local_worker(rank_in_world) != nullptr) {
        here.push_back(RankId{starting_world_->ranks[rank_in_world]});
      }
    }
    if (!here.empty()) {
      job_.program.load(application, here);
    }
  }
}

// From here on the rank can be sent to.
void Spawning::register_rank(std::uint32_t rank_in_world) {
  Rank& rank = job_.ranks[starting_world_->ranks[rank_in_world]];
  Worker* const home = local_worker(rank_in_world);
  if (home != nullptr) {
    Worker::set_stack(rank, job_.program.prepare(rank.id));
    rank.call = "main";
    rank.ended.store(false, std::memory_order_relaxed);
    rank.migratable = true;
    rank.wanted_worker = Rank::kAnyWorker;
  }
  rank.world = starting_world_;
  rank.rank_in_world = rank_in_world;
  rank.process = job_.cluster.process_of(starting_world_->workers[rank_in_world]);
  // Pairs with start_send() and deliver_remote(): a sender that finds the worker finds the rank's memory and world.
  rank.worker.store(home, std::memory_order_release);
}

void Spawning::on(ProcessId from, SpawnReady& ready) {
  failure_ = ready.failure.empty() ? failure_ : std::move(ready.failure);
  note_answer(from);
}

// If no request is under way, the answer is for a coordinator that has died.
void Spawning::note_answer(ProcessId from) {
  answer_missing_[number(from)] = false;
  if (busy_ && std::ranges::find(answer_missing_, true) == answer_missing_.end()) {
    finish_request(failure_);
    begin_next();
  }
}

void Spawning::process_died(ProcessId process) {
  job_.main_thread.post([this, process] {
    switch_coordinator();
    if (answer_missing_[number(process)]) {
      note_answer(process);
    }
  });
}

// Notes which process is the coordinator now. It does not have the state of the former one. So numbers that have been
// taken are not used again, living ranks repeat their requests, and the job ends if a world was about to start.
void Spawning::switch_coordinator() {
  const ProcessId before = std::exchange(coordinator_, job_.cluster.first_living_process());
  if (coordinator_ == before) {
    return;
  }
  if (starting_world_ != nullptr && announced_by_ == before) {
    job_.abort(1, "weft: the process that was starting spawned ranks has died: the job cannot go on");
  }
  free_numbers_.clear();
  for (std::uint32_t r = job_.ranks.at_start(); r < job_.ranks.universe(); ++r) {
    if (job_.ranks[r].world == nullptr) {
      free_numbers_.push_back(r);
    }
  }
  count_spawned();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [rank, waiting] : waiting_) {
      ask(rank, *waiting);
    }
  }
  begin_next();
}

// Ends the request that is under way.
void Spawning::finish_request(std::string failure) {
  if (failure.empty()) {
    termination_.add_started_ranks(starting_workers_);
  } else {
    free_numbers_.insert(free_numbers_.end(), starting_numbers_.begin(), starting_numbers_.end());
    count_spawned();
  }
  starting_numbers_.clear();
  SpawnStart outcome{requests_.front().rank, std::move(failure)};
  requests_.pop_front();
  busy_ = false;
  job_.control.send_control_to_all(std::move(outcome));
}

void Spawning::on(ProcessId /*from*/, SpawnStart& outcome) {
  for (std::uint32_t rank_in_world = 0; starting_world_ != nullptr && rank_in_world < starting_world_->ranks.size();
       ++rank_in_world) {
    Rank& rank = job_.ranks[starting_world_->ranks[rank_in_world]];
    if (!outcome.failure.empty()) {
      if (rank_in_world < registered_ranks_) {
        unregister_rank(rank);
      }
    } else if (local_worker(rank_in_world) != nullptr) {
      start(rank);
    }
  }
  if (starting_world_ != nullptr && outcome.failure.empty() && coordinator_ != job_.cluster.self()) {
    termination_.add_started_ranks(starting_world_->workers);  // in case this process becomes the coordinator
  }
  answer_request(outcome);
  starting_world_ = nullptr;
}

void Spawning::start(Rank& rank) {
  ++job_.ranks.live_spawned;
  rank.arrival_item.deliver = [](Worker& worker, InboxItem& item) {
    arrive_at_worker(worker, rank_of(*static_cast<OwnedItem<RankContext>&>(item).owner));
  };
  rank.worker.load(std::memory_order_relaxed)->inbox().push(rank.arrival_item);
}

// The rank does not start, since another one of its world cannot.
void Spawning::unregister_rank(Rank& rank) {
  if (rank.worker.exchange(nullptr) != nullptr) {
    job_.program.release(rank.id);
  }
  rank.world = nullptr;
}

// Answers the rank that asked, if it is in this process.
void Spawning::answer_request(const SpawnStart& outcome) {
  Waiting* waiting = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.lower_bound(outcome.rank);
    if (found == waiting_.end() || found->first != outcome.rank) {
      return;
    }
    waiting = found->second;
    waiting_.erase(found);
  }
  waiting->world = outcome.failure.empty() ? starting_world_ : nullptr;
  waiting->failure = outcome.failure;
  waiting->owner->worker.load(std::memory_order_relaxed)->inbox().push(*waiting);
}

void Spawning::release_number(Worker& here, Rank& rank) {
  if (has_pending_requests(rank) || !job_.program.can_reuse_number(rank.id)) {
    return;
  }
  drop_messages(here, rank);
  rank.state = Rank::State::dormant;
  job_.control.send_control(job_.cluster.first_living_process(),
                            SpawnNumberFree{number(rank.id), rank.exit_code & 0xff});
}

}  // namespace spawning
}  // namespace weft::runtime
