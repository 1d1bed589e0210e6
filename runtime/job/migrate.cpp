// The balancing step: all ranks meet, one decides, ranks move, all meet again.
#include "lb/strategy.hpp"
#include "runtime/cluster/step.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/message/carry.hpp"
#include "runtime/worker/worker.hpp"

namespace weft::runtime {
namespace {

lb::Instance measure(const Job& job) {
  lb::Instance instance;
  instance.workers.resize(job.worker_count());
  instance.ranks.reserve(job.rank_count());
  for (std::uint32_t r = 0; r < job.rank_count(); ++r) {
    Rank& rank = job.rank(r);
    instance.ranks.push_back({.rank = rank.id,
                              .home = rank.worker.load(std::memory_order_relaxed)->id(),
                              .seconds = rank.load.take_seconds()});
  }
  return instance;
}

// What a rank that moves takes along beside its own memory.
struct Luggage {
  Rank& rank;
  void pup(pup::Puper& p) {
    pup_unexpected(p, rank);
    if (Client* const client = rank.job.client(); client != nullptr) {
      client->pup(rank, p);
    }
  }
};

void repack(Rank& rank) {
  Luggage luggage{rank};
  const std::vector<std::byte> image = pup::pack(luggage);
  if (Client* const client = rank.job.client(); client != nullptr) {
    client->forget(rank);
  }
  pup::unpack(image, luggage);
}

// After it every message that was sent lies in its receiver's mailbox, and every matched send has been told: the first
// round brings the messages (or sends what had come to a rank's old worker after it), the second what they caused.
void settle_messages(Team& everyone, Rank& me) {
  Worker::current()->deliver_inbox();
  everyone.meet(me);
  Worker::current()->deliver_inbox();
}

}  // namespace

// Runs once, while every other rank waits in the meeting; so it may read and set what belongs to all of them.
void Job::decide() {
  const lb::Plan plan = state_->strategy->solve(measure(*this));
  for (std::uint32_t r = 0; r < config_.ranks; ++r) {
    const std::uint32_t home = number(rank(r).worker.load(std::memory_order_relaxed)->id());
    const std::uint32_t wanted = rank(r).take_wanted(home);
    state_->planned[r] = workers_[wanted != Rank::kAnyWorker ? wanted : number(plan[r])].get();
  }
}

// Runs once, while every other rank waits and no message is under way.
void Job::repack_movers() {
  for (const auto& rank : ranks_) {
    if (state_->planned[number(rank->id)] != rank->worker.load(std::memory_order_relaxed)) {
      repack(*rank);
    }
  }
}

bool Job::migrate(Rank& me) {
  if (config_.lb == "none" || ++me.migrate_calls % config_.lb_period != 0) {
    return false;
  }
  if (cluster_ != nullptr) {
    return Step::run(me);
  }
  Team& everyone = state_->everyone;
  everyone.meet(
      me, [](Team&, void* job) { static_cast<Job*>(job)->decide(); }, this);
  Worker& target = *state_->planned[number(me.id)];
  const bool moves = &target != Worker::current();
  if (moves && client_ != nullptr) {
    client_->about_to_move(me, config_.repack);
  }
  if (config_.repack) {
    settle_messages(everyone, me);
    everyone.meet(
        me, [](Team&, void* job) { static_cast<Job*>(job)->repack_movers(); }, this);
  }
  if (moves) {
    for (Team* team : me.teams) {
      team->leaves(*Worker::current());
    }
    Worker::current()->move_to(me, target);
    for (Team* team : me.teams) {
      team->joins(target);
    }
    if (client_ != nullptr) {
      client_->just_moved(me, config_.repack);
    }
  }
  // Nobody sends before everybody has arrived: messages to a rank never overtake each other on its way.
  everyone.meet(me);
  return moves;
}

}  // namespace weft::runtime
