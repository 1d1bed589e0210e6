#include "runtime/spawning/spawning.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "runtime/control/cluster.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/p2p/fetched.hpp"
#include "runtime/p2p/message_worker.hpp"
#include "runtime/p2p/wire.hpp"
#include "runtime/sched/main_thread.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/setup/program.hpp"
#include "runtime/sync/arrival.hpp"
#include "runtime/termination/termination.hpp"

namespace weft::runtime {
inline namespace spawning {
namespace {

void drop_messages(Worker& here, Rank& rank) {
  std::vector<Envelope*> left;
  rank.mailbox.for_each_unexpected([&](Envelope& message) { left.push_back(&message); });
  for (Envelope* message : left) {
    rank.mailbox.remove(*message);
    if (message->fetched) {
      drop_fetched(rank.remote, *message);
    }
    MessageWorker::of(here).pool().give(*message, rank.remote.home_of(*message));
  }
}

}  // namespace

// On the stack of the rank that asked; the item comes to its worker with the answer.
struct Spawning::Waiting : OwnedItem<Rank> {
  SpawnRequest request;
  std::shared_ptr<const World> world;
  std::string failure;
  std::uint32_t serial = 0;             // among those of the process
  ExecutionContext* context = nullptr;  // of the owner's
  bool answered = false;                // the worker's
};

Spawning::Spawning(const JobContext& job, Termination& termination)
    : ControlHandler(job.cluster.self()), job_(job), termination_(termination), awaited_(job.cluster.count()) {
  job.control.set_handler(ControlPart::spawning, *this);
  for (std::uint32_t r = job.ranks.at_start(); r < job.ranks.universe(); ++r) {
    vacant_.push_back(r);
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

// The main thread handles them all: some load programs, which takes long.
void Spawning::on_control(ProcessId from, ControlKind kind, const ControlBody& body) {
  using Messages = ControlMessages<SpawnAsked, SpawnWorld, SpawnReady, SpawnStart, SpawnVacant>;
  static_assert(Messages::are_all_of(ControlPart::spawning));
  Messages::dispatch(kind, body, [this, from](auto message) {
    job_.main_thread.post([this, from, message = std::move(message)]() mutable { on(from, message); });
  });
}

void Spawning::ask(std::uint32_t rank, const Waiting& waiting) {
  job_.control.send_control(job_.cluster.coordinator(), SpawnAsked{rank, waiting.serial, waiting.request});
}

// Another process may know of a death before this one, which begins once it does. It may ask once more.
void Spawning::on(ProcessId from, SpawnAsked& asked) {
  if (!job_.cluster.loses_processes || asked_.insert({number(from), asked.serial}).second) {
    asks_.push_back(std::move(asked));
    begin();
  }
}

void Spawning::on(ProcessId /*from*/, SpawnVacant& vacant) {
  job_.ranks.spawned_exit_code = std::max(job_.ranks.spawned_exit_code.load(), vacant.exit_code);
  vacant_.push_back(vacant.rank);
  count_spawned();
}

// Before any of them starts, and after one has ended.
void Spawning::count_spawned() {
  job_.ranks.spawned.store(job_.ranks.universe() - job_.ranks.at_start() - static_cast<std::uint32_t>(vacant_.size()));
}

void Spawning::begin() {
  while (!busy_ && !asks_.empty() && coordinator_ == job_.cluster.self()) {
    busy_ = true;
    World world;
    if (std::string failure = choose(asks_.front().request, world); !failure.empty()) {
      finish(std::move(failure));
      continue;
    }
    for (std::uint32_t p = 0; p < job_.cluster.count(); ++p) {
      awaited_[p] = lives(ProcessId{p});
    }
    failure_.clear();
    count_spawned();
    job_.control.send_control_to_all(SpawnWorld{std::move(world)});
  }
}

// Why there is no such world, or an empty text.
std::string Spawning::choose(SpawnRequest& request, World& world) {
  std::size_t least = 0;
  for (const auto& counts : request.counts) {
    least += counts.back();
  }
  if (least > vacant_.size()) {
    return fmt::format("{} ranks are asked for, and the universe of {} ranks has room for {} (weftrun --universe)",
                       least, job_.ranks.universe(), vacant_.size());
  }
  std::size_t room = vacant_.size();
  for (std::size_t i = 0; i < request.counts.size(); ++i) {
    const std::vector<std::uint32_t>& counts = request.counts[i];
    least -= counts.back();
    request.applications[i].ranks =
        *std::ranges::find_if(counts, [&](std::uint32_t count) { return count + least <= room; });
    room -= request.applications[i].ranks;
  }
  take_numbers(static_cast<std::uint32_t>(vacant_.size() - room), world);
  world.applications = std::move(request.applications);
  world.upper_layer_data = std::move(request.upper_layer_data);
  return {};
}

// In blocks over the workers, as the job's first ranks are; fewer ranks than workers go to workers one after the other.
void Spawning::take_numbers(std::uint32_t ranks, World& world) {
  std::vector<std::uint32_t> living;
  for (std::uint32_t w = 0; w < job_.cluster.worker_count(); ++w) {
    if (lives(job_.cluster.process_of(w))) {
      living.push_back(w);
    }
  }
  const std::size_t workers = living.size();
  for (std::uint32_t place = 0; place < ranks; ++place) {
    world.ranks.push_back(vacant_.front());
    vacant_.pop_front();
    const std::uint64_t step = ranks < workers ? place : std::uint64_t{place} * workers / ranks;
    world.workers.push_back(living[(next_worker_ + step) % workers]);
  }
  next_worker_ = static_cast<std::uint32_t>((next_worker_ + ranks) % workers);
  taken_ = world.ranks;
  taken_on_ = world.workers;
}

bool Spawning::lives(ProcessId process) const {
  return !job_.cluster.loses_processes || !job_.cluster.is_lost(process);
}

Worker* Spawning::worker_here(std::uint32_t place) const {
  const std::uint32_t home = coming_->workers[place];
  return job_.cluster.process_of(home) == job_.cluster.self()
             ? job_.workers[home - job_.cluster.first_worker(job_.cluster.self())]
             : nullptr;
}

void Spawning::on(ProcessId from, SpawnWorld& coming) {
  coming_from_ = from;
  coming_ = std::make_shared<const World>(std::move(coming.world));
  equipped_ = 0;
  std::string failure;
  try {
    load();
    for (; equipped_ < coming_->ranks.size(); ++equipped_) {
      enrol(equipped_);
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  job_.control.send_control(from, SpawnReady{std::move(failure)});
}

void Spawning::load() {
  std::uint32_t place = 0;
  for (const Application& application : coming_->applications) {
    std::vector<RankId> here;
    for (const std::uint32_t end = place + application.ranks; place < end; ++place) {
      if (worker_here(place) != nullptr) {
        here.push_back(RankId{coming_->ranks[place]});
      }
    }
    if (!here.empty()) {
      job_.program.load(application, here);
    }
  }
}

// From here on it can be sent to.
void Spawning::enrol(std::uint32_t place) {
  Rank& rank = job_.ranks[coming_->ranks[place]];
  Worker* const home = worker_here(place);
  if (home != nullptr) {
    Worker::set_stack(rank, job_.program.prepare(rank.id));
    rank.call = "main";
    rank.ended.store(false, std::memory_order_relaxed);
    rank.migratable = true;
    rank.wanted_worker = Rank::kAnyWorker;
  }
  rank.world = coming_;
  rank.place = place;
  rank.process = job_.cluster.process_of(coming_->workers[place]);
  // Pairs with start_send() and deliver_remote(): who finds the worker finds the rank's memory and world.
  rank.worker.store(home, std::memory_order_release);
}

void Spawning::on(ProcessId from, SpawnReady& ready) {
  failure_ = ready.failure.empty() ? failure_ : std::move(ready.failure);
  note_answer(from);
}

// Nothing is under way where the answer is to a request of a coordinator that has died.
void Spawning::note_answer(ProcessId from) {
  awaited_[number(from)] = false;
  if (busy_ && std::ranges::find(awaited_, true) == awaited_.end()) {
    finish(failure_);
    begin();
  }
}

void Spawning::process_died(ProcessId process) {
  job_.main_thread.post([this, process] {
    follow_coordinator();
    if (awaited_[number(process)]) {
      note_answer(process);
    }
  });
}

// To the one that there is now. It does not know what the one before knew: numbers that have been taken are not used
// again, the living ask again, and a world of which its processes do not know whether it starts cannot be made.
void Spawning::follow_coordinator() {
  const ProcessId before = std::exchange(coordinator_, job_.cluster.coordinator());
  if (coordinator_ == before) {
    return;
  }
  if (coming_ != nullptr && coming_from_ == before) {
    job_.abort(1, "weft: the process that was starting spawned ranks has died: the job cannot go on");
  }
  vacant_.clear();
  for (std::uint32_t r = job_.ranks.at_start(); r < job_.ranks.universe(); ++r) {
    if (job_.ranks[r].world == nullptr) {
      vacant_.push_back(r);
    }
  }
  count_spawned();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [rank, waiting] : waiting_) {
      ask(rank, *waiting);
    }
  }
  begin();
}

// Of the request that is under way.
void Spawning::finish(std::string failure) {
  if (failure.empty()) {
    termination_.expect(taken_on_);
  } else {
    vacant_.insert(vacant_.end(), taken_.begin(), taken_.end());
    count_spawned();
  }
  taken_.clear();
  SpawnStart outcome{asks_.front().rank, std::move(failure)};
  asks_.pop_front();
  busy_ = false;
  job_.control.send_control_to_all(std::move(outcome));
}

void Spawning::on(ProcessId /*from*/, SpawnStart& outcome) {
  for (std::uint32_t place = 0; coming_ != nullptr && place < coming_->ranks.size(); ++place) {
    Rank& rank = job_.ranks[coming_->ranks[place]];
    if (!outcome.failure.empty()) {
      if (place < equipped_) {
        give_up(rank);
      }
    } else if (worker_here(place) != nullptr) {
      start(rank);
    }
  }
  if (coming_ != nullptr && outcome.failure.empty() && coordinator_ != job_.cluster.self()) {
    termination_.expect(coming_->workers);  // should this process be the coordinator some day
  }
  answer(outcome);
  coming_ = nullptr;
}

void Spawning::start(Rank& rank) {
  ++job_.ranks.live_spawned;
  rank.hand_over.deliver = [](Worker& worker, InboxItem& item) {
    arrive_at_worker(worker, rank_of(*static_cast<OwnedItem<RankContext>&>(item).owner));
  };
  rank.worker.load(std::memory_order_relaxed)->inbox().push(rank.hand_over);
}

// It was to start, and another one of its world cannot.
void Spawning::give_up(Rank& rank) {
  if (rank.worker.exchange(nullptr) != nullptr) {
    job_.program.release(rank.id);
  }
  rank.world = nullptr;
}

// To the rank that asked, if it is one of this process.
void Spawning::answer(const SpawnStart& outcome) {
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
  waiting->world = outcome.failure.empty() ? coming_ : nullptr;
  waiting->failure = outcome.failure;
  waiting->owner->worker.load(std::memory_order_relaxed)->inbox().push(*waiting);
}

void Spawning::vacate(Worker& here, Rank& rank) {
  if (rank.mailbox.posted() != 0 || !rank.registered_sends.empty() || !job_.program.vacant(rank.id)) {
    return;
  }
  drop_messages(here, rank);
  rank.state = Rank::State::dormant;
  job_.control.send_control(job_.cluster.coordinator(), SpawnVacant{number(rank.id), rank.exit_code & 0xff});
}

}  // namespace spawning
}  // namespace weft::runtime
