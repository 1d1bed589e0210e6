#include "runtime/spawning/spawning.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "runtime/control/wire.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/lbstep/step.hpp"
#include "runtime/p2p/fetched.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/termination/termination.hpp"

namespace weft::runtime {
namespace {

constexpr ProcessId kFirst{};

void drop_messages(Worker& here, Rank& rank) {
  std::vector<Envelope*> left;
  rank.mailbox.for_each_unexpected([&](Envelope& message) { left.push_back(&message); });
  for (Envelope* message : left) {
    rank.mailbox.remove(*message);
    if (message->fetched) {
      drop_fetched(here.job(), *message);
    }
    here.pool().give(*message, here.pool_of(message->home));
  }
}

}  // namespace

struct Spawning::Outcome {
  std::uint32_t rank = 0;
  std::string failure;  // empty: the world that was enrolled starts
  void pup(pup::Puper& p) { p | rank | failure; }
};

// On the stack of the rank that asked; the item comes to its worker with the answer.
struct Spawning::Waiting : OwnedItem<Rank> {
  std::shared_ptr<const World> world;
  std::string failure;
  ExecutionContext* strand = nullptr;  // of the owner's
  bool answered = false;               // the worker's
};

Spawning::Spawning(Cluster& cluster) : cluster_(cluster) {
  for (std::uint32_t r = cluster.job().rank_count(); r < cluster.job().universe(); ++r) {
    vacant_.push_back(r);
  }
}

std::shared_ptr<const World> Spawning::spawn(Rank& me, SpawnRequest request, std::string& failure) {
  Spawning& here = me.job.cluster().spawning();
  Waiting waiting;
  waiting.owner = &me;
  waiting.strand = Worker::current()->strand();
  waiting.deliver = [](Worker& worker, InboxItem& item) {
    auto& answer = static_cast<Waiting&>(item);
    answer.answered = true;
    worker.make_ready(*answer.strand);
  };
  {
    const std::lock_guard lock(here.mutex_);
    here.waiting_.emplace(number(me.id), &waiting);
  }
  Ask ask{number(me.id), std::move(request)};
  here.cluster_.tell(kFirst, Control::spawn, pup::pack(ask));
  while (!waiting.answered) {
    Worker::current()->park(*waiting.strand);
  }
  failure = std::move(waiting.failure);
  return std::move(waiting.world);
}

void Spawning::hear(ProcessId /*from*/, Control what, std::span<const std::byte> text) {
  cluster_.job().state_->post([this, what, text = std::vector(text.begin(), text.end())] {
    switch (what) {
      case Control::spawn:
        asks_.push_back(text_of<Ask>(text));
        begin();
        break;
      case Control::enrol:
        on_enrol(text);
        break;
      case Control::enrolled:
        on_enrolled(text_of<std::string>(text));
        break;
      case Control::start:
        on_start(text_of<Outcome>(text));
        break;
      default:
        vacant_.push_back(text_of<std::uint32_t>(text));
    }
  });
}

void Spawning::begin() {
  while (!busy_ && !asks_.empty()) {
    busy_ = true;
    World world;
    if (std::string failure = choose(asks_.front().request, world); !failure.empty()) {
      finish(std::move(failure));
      continue;
    }
    missing_ = cluster_.count();
    failure_.clear();
    cluster_.tell_all(Control::enrol, pup::pack(world));
  }
}

// Why there is no such world, or an empty text.
std::string Spawning::choose(SpawnRequest& request, World& world) {
  std::size_t least = 0;
  for (const auto& counts : request.counts) {
    least += counts.back();
  }
  if (least > vacant_.size()) {
    const Job& job = cluster_.job();
    return fmt::format("{} ranks are asked for, and the universe of {} ranks has room for {} (weftrun --universe)",
                       least, job.universe(), vacant_.size());
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
  world.client = std::move(request.client);
  return {};
}

// In blocks over the workers, as the job's first ranks are; fewer ranks than workers go to workers one after the other.
void Spawning::take_numbers(std::uint32_t ranks, World& world) {
  const std::uint32_t workers = cluster_.worker_count();
  for (std::uint32_t place = 0; place < ranks; ++place) {
    world.ranks.push_back(vacant_.front());
    vacant_.pop_front();
    const std::uint64_t step = ranks < workers ? place : std::uint64_t{place} * workers / ranks;
    world.workers.push_back(static_cast<std::uint32_t>((next_worker_ + step) % workers));
  }
  next_worker_ = (next_worker_ + ranks) % workers;
  taken_ = world.ranks;
}

Worker* Spawning::worker_here(std::uint32_t place) const {
  const std::uint32_t home = coming_->workers[place];
  return cluster_.process_of(home) == cluster_.self()
             ? &cluster_.job().worker(home - cluster_.first_worker(cluster_.self()))
             : nullptr;
}

void Spawning::on_enrol(std::span<const std::byte> text) {
  cluster_.step().hold();
  coming_ = std::make_shared<const World>(text_of<World>(text));
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
  cluster_.tell(kFirst, Control::enrolled, pup::pack(failure));
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
      cluster_.job().program().load(application, here);
    }
  }
}

// From here on it can be sent to.
void Spawning::enrol(std::uint32_t place) {
  Rank& rank = cluster_.job().rank(coming_->ranks[place]);
  Worker* const home = worker_here(place);
  if (home != nullptr) {
    Worker::equip(rank);
    rank.call = "main";
    rank.ended.store(false, std::memory_order_relaxed);
    rank.migratable = true;
    rank.wanted_worker = Rank::kAnyWorker;
  }
  rank.world = coming_;
  rank.place = place;
  rank.process = cluster_.process_of(coming_->workers[place]);
  rank.worker.store(home, std::memory_order_release);
}

void Spawning::on_enrolled(std::string failure) {
  failure_ = failure.empty() ? failure_ : std::move(failure);
  if (--missing_ == 0) {
    finish(failure_);
    begin();
  }
}

// Of the request that is under way.
void Spawning::finish(std::string failure) {
  if (failure.empty()) {
    cluster_.termination().expect(static_cast<std::uint32_t>(taken_.size()));
  } else {
    vacant_.insert(vacant_.end(), taken_.begin(), taken_.end());
  }
  taken_.clear();
  Outcome outcome{asks_.front().rank, std::move(failure)};
  asks_.pop_front();
  busy_ = false;
  cluster_.tell_all(Control::start, pup::pack(outcome));
}

void Spawning::on_start(const Outcome& outcome) {
  for (std::uint32_t place = 0; coming_ != nullptr && place < coming_->ranks.size(); ++place) {
    Rank& rank = cluster_.job().rank(coming_->ranks[place]);
    if (!outcome.failure.empty()) {
      if (place < equipped_) {
        give_up(rank);
      }
    } else if (worker_here(place) != nullptr) {
      start(rank);
    }
  }
  answer(outcome);
  coming_ = nullptr;
}

void Spawning::start(Rank& rank) {
  ++cluster_.job().state_->live_ranks;
  rank.hand_over.deliver = [](Worker& worker, InboxItem& item) {
    Rank& starts = *static_cast<OwnedItem<Rank>&>(item).owner;
    starts.worker_number = number(worker.id());
    worker.make_ready(starts);
  };
  rank.worker.load(std::memory_order_relaxed)->inbox().push(rank.hand_over);
}

// It was to start, and another one of its world cannot.
void Spawning::give_up(Rank& rank) {
  if (rank.worker.exchange(nullptr) != nullptr) {
    cluster_.job().program().release(rank.id);
  }
  rank.world = nullptr;
}

// To the rank that asked, if it is one of this process.
void Spawning::answer(const Outcome& outcome) {
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
  if (rank.mailbox.posted() != 0 || !rank.registered_sends.empty() || !cluster_.job().program().vacant(rank.id)) {
    return;
  }
  drop_messages(here, rank);
  rank.state = Rank::State::dormant;
  std::uint32_t vacant = number(rank.id);
  cluster_.tell(kFirst, Control::vacant, pup::pack(vacant));
}

}  // namespace weft::runtime
