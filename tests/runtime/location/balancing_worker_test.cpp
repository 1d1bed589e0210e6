// Ranks that busy workers give to idle ones, at any call.
#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "runtime/meter/ticks.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"
#include "tests/runtime/job_fixture.hpp"
#include "tests/runtime/undisturbed.hpp"

namespace weft::runtime {
namespace {

void compute(double seconds) {
  for (const std::uint64_t start = ticks(); static_cast<double>(ticks() - start) < seconds * ticks_per_second();) {
  }
}

// The same in the thread's CPU time, however long others have its core meanwhile.
void use_core(double seconds) {
  for (const double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds; seconds_of(CLOCK_THREAD_CPUTIME_ID) < end;) {
  }
}

// Makes no calls, and gives up after a minute.
void wait_for(const std::atomic<bool>& what) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!what && std::chrono::steady_clock::now() < end) {
  }
}

void send_number(Rank& me, std::uint32_t to, int value) {
  Request request;
  request.prepare_send(me, {1, static_cast<int>(number(me.id)), 0}, static_cast<int>(to), {&value, sizeof value});
  start_send(me.job.rank(to), SendMode::standard, request);
  wait(me, request);
}

int receive_number(Rank& me) {
  int value = 0;
  Request request;
  start_receive(me, {1, kAnySource, 0}, {&value, sizeof value}, request);
  wait(me, request);
  return value;
}

class Sharing : public JobTest {
 protected:
  int run_shared(std::uint32_t ranks, const std::function<int(Rank&)>& body, std::uint32_t share_us = 0) {
    JobConfig config;
    config.lb_continuous = true;
    config.lb_continuous_us = share_us;
    config.spin_us = 0;  // idle workers announce it at once
    return run(ranks, body, config);
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, Sharing,
                         testing::Values(Setting{2, "none"}, Setting{3, "none"}, Setting{4, "rotate"}), name_of);

// The ranks of worker 0 compute without end; a worker without work must get one of them.
TEST_P(Sharing, IdleWorkersGetRanks) {
  std::atomic<bool> moved = false;
  run_shared(4 * GetParam().workers, [&](Rank& me) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (number(me.id) < 4 && !moved && std::chrono::steady_clock::now() < end) {
      yield(me);
      if (me.worker.load() != &me.job.worker(0)) {
        moved = true;
      }
    }
    me.teams.front()->barrier(me);
    return 0;
  });
  EXPECT_TRUE(moved);
}

// Worker 0 runs a rank that makes no call until another one, ready behind it, runs on another worker.
TEST_P(Sharing, WhatIsReadyBehindALongComputationIsTaken) {
  std::atomic<bool> computes = false;
  std::atomic<bool> taken = false;
  bool in_time = false;
  run_shared(4 * GetParam().workers, [&](Rank& me) {
    if (number(me.id) >= 4) {
      wait_for(computes);  // so that nobody is given ranks before
    } else {
      yield(me);
      yield(me);
      if (number(me.id) == 0) {
        computes = true;
        wait_for(taken);
        in_time = taken;
      } else if (me.worker.load() != &me.job.worker(0)) {
        taken = true;
      }
    }
    me.teams.front()->barrier(me);
    return 0;
  });
  EXPECT_TRUE(in_time);
}

// Worker 0 runs a rank that makes no call until another one, stolen from it meanwhile, has got its messages; so does
// every worker but the thief. Mail for the stolen rank must not depend on them.
class OnlyTheThiefIsFree {
 public:
  explicit OnlyTheThiefIsFree(std::uint32_t workers) : workers_(workers) {}

  int run(Rank& me) {
    const std::uint32_t id = number(me.id);
    me.migratable = id < 4;
    if (id >= 4) {
      wait_for(rank_0_computes_);  // so that nobody steals before
    } else {
      yield(me);
      yield(me);
    }
    if (id == 0) {
      rank_0_computes_ = true;
      compute();
      received_in_time = over_;
    } else if (id < 4 && me.worker_number != 0 && !has_receiver_.exchange(true)) {
      receive(me);
    } else if (id >= 4 && id % 4 == 0) {
      send_or_compute(me);
    }
    me.teams.front()->barrier(me);
    return 0;
  }
  bool received_in_time = false;

 private:
  static constexpr int kMessages = 20;

  void compute() {
    if (++computing_ == workers_ - 1) {
      all_others_compute_ = true;
    }
    wait_for(over_);
  }

  // By the first of worker 0's ranks that was stolen. Tells the first rank of each other worker its number and its
  // thief.
  void receive(Rank& me) {
    const auto thief = static_cast<int>(me.worker_number);
    for (std::uint32_t worker = 1; worker < workers_; ++worker) {
      send_number(me, 4 * worker, 4 * thief + static_cast<int>(number(me.id)));
    }
    for (int i = 0; i < kMessages; ++i) {
      EXPECT_EQ(receive_number(me), i);
    }
    over_ = true;
  }

  // By the first rank of each worker but worker 0: the thief's sends.
  void send_or_compute(Rank& me) {
    const int told = receive_number(me);
    if (told / 4 != static_cast<int>(me.worker_number)) {
      compute();
      return;
    }
    wait_for(all_others_compute_);
    for (int i = 0; i < kMessages; ++i) {
      send_number(me, static_cast<std::uint32_t>(told % 4), i);
    }
  }

  const std::uint32_t workers_;
  std::atomic<bool> rank_0_computes_ = false;
  std::atomic<std::uint32_t> computing_ = 0;  // workers
  std::atomic<bool> all_others_compute_ = false;
  std::atomic<bool> has_receiver_ = false;
  std::atomic<bool> over_ = false;
};

TEST_P(Sharing, MailReachesAStolenRankWhileAllOtherWorkersCompute) {
  JobConfig config;
  config.lb_continuous = true;
  config.lb_continuous_us = 0;
  config.spin_us = 1e6;  // idle workers look for what they can steal, and are given nothing
  OnlyTheThiefIsFree ranks(GetParam().workers);
  EXPECT_EQ(run(
                4 * GetParam().workers, [&](Rank& me) { return ranks.run(me); }, config),
            0);
  EXPECT_TRUE(ranks.received_in_time);
}

// Two ranks of worker 0 wait in a barrier. The first has arrived there; the other is stolen while a third computes, and
// arrives on another worker.
TEST_P(Sharing, MembersWhoHaveComeDoNotWaitForALongComputation) {
  std::atomic<bool> computes = false;
  std::atomic<bool> met = false;
  bool in_time = false;
  std::unique_ptr<Team> pair;
  run_shared(
      4 * GetParam().workers,
      [&](Rank& me) {
        const std::uint32_t id = number(me.id);
        me.migratable = id == 2;
        if (id == 0) {
          pair = me.job.make_team(std::vector<Rank*>{&me, &me.job.rank(2)});
        }
        if (id == 1 || id == 2) {
          use_core(0.005);  // long at a time
        }
        if (id == 0 || id == 2) {
          me.teams.push_back(pair.get());
          yield(me);
          pair->barrier(me);
          met = true;
        } else if (id == 1) {
          yield(me);
          computes = true;
          wait_for(met);
          in_time = met;
        } else if (id >= 4) {
          wait_for(computes);  // so that nobody is given ranks before
        }
        me.teams.front()->barrier(me);
        return 0;
      },
      100);
  EXPECT_TRUE(in_time);
}

// Each rank sends numbered messages to others, of all kinds, while ranks change their workers all the time.
TEST_P(Sharing, MessagesKeepTheirOrder) {
  constexpr std::uint32_t kRanks = 24;
  constexpr int kRounds = 300;
  std::atomic<int> changes = 0;
  run_shared(kRanks, [&](Rank& me) {
    const std::uint32_t id = number(me.id);
    const auto other = [&](std::uint32_t step) { return (id + step) % kRanks; };
    const Worker* last = me.worker.load();
    for (int round = 0; round < kRounds; ++round) {
      // Three messages to one partner, with one tag: only their order tells them apart.
      const std::uint32_t step = 1 + static_cast<std::uint32_t>(round) % (kRanks - 1);
      const std::uint32_t to = other(step);
      const std::uint32_t from = other(kRanks - step);
      int out[3];
      int in[3] = {-1, -1, -1};
      Request sends[3];
      Request receives[3];
      for (int i = 0; i < 3; ++i) {
        out[i] = round * 3 + i;
        sends[i].prepare_send(me, {1, static_cast<int>(id), 5}, static_cast<int>(to), {&out[i], sizeof(int)});
        start_send(me.job.rank(to), (round + i) % 4 == 0 ? SendMode::synchronous : SendMode::standard, sends[i]);
        if ((id + static_cast<std::uint32_t>(round)) % 3 == 0) {
          yield(me);
        }
      }
      for (int i = 0; i < 3; ++i) {
        start_receive(me, {1, i % 2 == 0 ? static_cast<int>(from) : kAnySource, 5}, {&in[i], sizeof(int)}, receives[i]);
      }
      Request* const all[] = {&sends[0], &sends[1], &sends[2], &receives[0], &receives[1], &receives[2]};
      wait_all(me, all);
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(in[i], round * 3 + i) << "rank " << id << " from " << from;
      }
      me.teams.front()->barrier(me);
      if (round % 50 == 49) {
        me.job.migrate(me);
      }
      changes += me.worker.load() != last ? 1 : 0;
      last = me.worker.load();
    }
    return 0;
  });
  EXPECT_GT(changes, 0);
}

class Taking : public Sharing {};
INSTANTIATE_TEST_SUITE_P(Settings, Taking, testing::Values(Setting{2, "none"}), name_of);

// A rank sends to a rank of the other worker, which then steals the sender. What the sender sends now bypasses the
// inbox, in which the first message may still lie.
TEST_P(Taking, MessagesDoNotOvertakeThoseFromBefore) {
  // Each worker has four ranks: one computes so long that others are worth exposing, one runs between it and the
  // sender, one receives; the sender is the fourth of worker 0.
  constexpr std::uint32_t kComputes = 0, kBetween = 1, kReceives = 2, kSender = 3;
  constexpr int kEnd = -1;
  constexpr int kTimes = 20000;
  std::atomic<int> taken = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  JobConfig config;
  config.lb_continuous = true;
  config.lb_continuous_us = 0;
  config.spin_us = 1e6;  // so that nobody is given ranks
  const auto body = [&](Rank& me) {
    const std::uint32_t role = number(me.id) % 4;
    me.migratable = role == kSender;
    if (number(me.id) == 4 + kSender) {
      return 0;
    }
    if (role == kSender) {
      for (int value = 0; taken < kTimes && std::chrono::steady_clock::now() < deadline; value += 2) {
        const std::uint32_t here = me.worker_number;
        const std::uint32_t receiver = 4 * (1 - here) + kReceives;
        const int before = taken;
        send_number(me, 4 * here + kBetween, before);
        send_number(me, 4 * here + kComputes, before);
        send_number(me, receiver, value);
        yield(me);
        taken += me.worker_number != here ? 1 : 0;
        send_number(me, receiver, value + 1);
        EXPECT_EQ(receive_number(me), value);
      }
      for (std::uint32_t rank = 0; rank < 8; ++rank) {
        if (rank % 4 != kSender) {
          send_number(me, rank, kEnd);
        }
      }
      return 0;
    }
    for (int got = receive_number(me); got != kEnd; got = receive_number(me)) {
      if (role == kBetween) {
        yield(me);
      } else if (role == kComputes) {
        for (int i = 0; taken == got && i < 200; ++i) {
          compute(1e-7);
        }
      } else {
        EXPECT_EQ(receive_number(me), got + 1);
        send_number(me, kSender, got);
      }
    }
    return 0;
  };
  EXPECT_EQ(run(8, body, config), 0);
  EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace weft::runtime
