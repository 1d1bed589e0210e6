// Broadcast rings: changing roots write and go on, and the others read everything in order, also when members sleep.
#include "runtime/sync/broadcast_ring.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>

#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"
#include "tests/runtime/job_fixture.hpp"

namespace weft::runtime {
namespace {

class BroadcastRings : public JobTest {};
INSTANTIATE_TEST_SUITE_P(Settings, BroadcastRings, kSettings, name_of);

constexpr int kRing = 16;

using Page = std::array<std::uint64_t, BroadcastRing::kBytes / sizeof(std::uint64_t)>;

Page page_of(std::uint64_t round) {
  Page page;
  for (std::size_t i = 0; i < page.size(); ++i) {
    page[i] = 1000 * round + i;
  }
  return page;
}

void await(BroadcastRing& ring, Rank& me, std::uint32_t member, Awaited what, bool looks) {
  const auto ready = [&] { return ring.is_ready(member, what); };
  if (ready() || (looks && Worker::yield_until(ready))) {
    return;
  }
  while (!ready()) {
    Request over;
    ring.start_waiting(me, what, over);
    if (ready()) {
      ring.stop_waiting(over);
    }
    wait(me, over);
  }
}

// The number of the round, as the broadcast's signature; all of its page is checked.
void broadcast(BroadcastRing& ring, Rank& me, std::uint32_t root, std::uint64_t round, bool looks = true) {
  const std::uint32_t id = number(me.id);
  const Page sent = page_of(round);
  if (id == root) {
    await(ring, me, id, Awaited::room, looks);
    std::memcpy(ring.page(id), sent.data(), BroadcastRing::kBytes);
    ring.post(id, round);
  } else {
    await(ring, me, id, Awaited::posted, looks);
    EXPECT_EQ(ring.signature(id), round);
    EXPECT_EQ(std::memcmp(ring.page(id), sent.data(), BroadcastRing::kBytes), 0) << "round " << round;
  }
  ring.advance(id, round);
}

void be_late(Rank& me) {
  const auto late = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  while (std::chrono::steady_clock::now() < late) {
    yield(me);
  }
}

TEST_P(BroadcastRings, BringEverythingInOrderFromRootsInTurn) {
  for (const std::uint32_t ranks : {1U, 2U, 3U, 8U, 33U}) {
    for (const bool members_seldom_sleep : {false, true}) {
      BroadcastRing ring(ranks, members_seldom_sleep);
      run(ranks, [&](Rank& me) {
        for (std::uint32_t round = 0; round < 300; ++round) {
          const std::uint32_t root = round < 100 ? 0 : round < 200 ? round % ranks : (round / 7) % ranks;
          broadcast(ring, me, root, round, round % 3 != 0);
          if (round % 40 == 10 * (number(me.id) % 4)) {
            yield(me);
          }
          if (round % 50 == 0) {
            me.job.migrate(me);
          }
        }
        return 0;
      });
    }
  }
}

// A root gets as far ahead as the ring is long, and no further.
TEST_P(BroadcastRings, LetTheRootGoOnUntilTheRingIsFull) {
  constexpr std::uint32_t kRanks = 3;
  constexpr int kRounds = 100;
  BroadcastRing ring(kRanks, false);
  std::atomic<int> posted = 0;  // counted a little later
  run(kRanks, [&](Rank& me) {
    int most = 0;
    for (int round = 0; round < kRounds; ++round) {
      if (number(me.id) == 2) {
        while (round == 0 && posted.load() < kRing) {
          yield(me);
        }
        most = std::max(most, posted.load() - round);
      }
      broadcast(ring, me, 0, static_cast<std::uint64_t>(round), round % 2 == 0);
      if (number(me.id) == 0) {
        ++posted;
      }
    }
    if (number(me.id) == 2) {
      EXPECT_EQ(most, kRing);
    }
    return 0;
  });
}

// One member comes so late that the others go to sleep: in turn the root, for which the readers sleep, and a reader,
// for which the root sleeps.
TEST_P(BroadcastRings, WakeThoseWhoSleep) {
  constexpr std::uint32_t kRanks = 5;
  for (const bool members_seldom_sleep : {false, true}) {
    BroadcastRing ring(kRanks, members_seldom_sleep);
    run(kRanks, [&](Rank& me) {
      for (std::uint32_t round = 0; round < 12U * kRing; ++round) {
        if (round % kRing == 0 && (round / kRing) % kRanks == number(me.id)) {
          be_late(me);
        }
        broadcast(ring, me, round % 2, round, false);
      }
      return 0;
    });
  }
}

// A member that has arrived at a barrier will not be the root of an earlier broadcast.
TEST_P(BroadcastRings, TellThoseWhoWaitThatOthersMeet) {
  constexpr std::uint32_t kRanks = 4;
  run(kRanks, [&](Rank& me) {
    Team& team = *me.teams.front();
    BroadcastRing& ring = team.broadcast_ring();
    const std::uint32_t id = number(me.id);
    EXPECT_FALSE(id == 0 && team.others_arrived(id));
    while (id != 0 && !team.others_arrived(id)) {
      Request over;
      ring.start_waiting(me, Awaited::posted, over);
      if (team.others_arrived(id)) {
        ring.stop_waiting(over);
      }
      wait(me, over);
    }
    EXPECT_FALSE(ring.is_posted(id));
    team.barrier(me);
    broadcast(ring, me, 3, 1);
    return 0;
  });
}

TEST_P(BroadcastRings, HashDiffersBetweenMembersThatHaveBeenThroughDifferentBroadcasts) {
  BroadcastRing ring(3, true);
  for (std::uint64_t round = 0; round < 3; ++round) {
    for (std::uint32_t member = 0; member < 3; ++member) {
      ring.advance(member, member == 2 && round == 1 ? 77 : 5);
    }
  }
  EXPECT_EQ(ring.hash(0), ring.hash(1));
  EXPECT_NE(ring.hash(0), ring.hash(2));
  ring.advance(1, 5);
  EXPECT_NE(ring.hash(0), ring.hash(1));
}

}  // namespace
}  // namespace weft::runtime
