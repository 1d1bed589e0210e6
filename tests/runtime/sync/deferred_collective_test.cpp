// DeferredCollectives: no member waits when it contributes, and all requests are done once the last one has arrived.
#include "runtime/sync/deferred_collective.hpp"

#include <vector>

#include "runtime/sync/team.hpp"
#include "tests/runtime/job_fixture.hpp"

namespace weft::runtime {
namespace {

class DeferredCollectivesOfATeam : public JobTest {};
INSTANTIATE_TEST_SUITE_P(Settings, DeferredCollectivesOfATeam, kSettings, name_of);

// Word 0 of each member is its contribution, word 1 the address for the sum.
void add_up(DeferredCollective& collective) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < collective.size(); ++i) {
    sum += reinterpret_cast<std::uint64_t>(collective.contribution(i).words[0]);
  }
  for (std::uint32_t i = 0; i < collective.size(); ++i) {
    *static_cast<std::uint64_t*>(const_cast<void*>(collective.contribution(i).words[1])) = sum;
  }
}

DeferredCollective::Contribution bring(std::uint64_t value, std::uint64_t& sum) {
  DeferredCollective::Contribution mine;
  mine.words[0] = reinterpret_cast<const void*>(value);
  mine.words[1] = &sum;
  return mine;
}

TEST_P(DeferredCollectivesOfATeam, ActForAllAndEndTheirRequests) {
  for (const std::uint32_t ranks : {1U, 2U, 7U, 33U}) {
    run(ranks, [ranks](Rank& me) {
      const std::uint32_t id = number(me.id);
      for (std::uint32_t round = 0; round < 100; ++round) {
        std::uint64_t sum = 0;
        Request over;
        me.teams.front()->deferred_collectives().at(round).contribute(me, id, bring(id + round, sum), add_up, over);
        wait(me, over);
        EXPECT_EQ(sum, ranks * (ranks - 1) / 2 + ranks * round);
        if (round % 20 == 0) {
          me.job.migrate(me);
        }
      }
      return 0;
    });
  }
}

// Some members are far ahead of others; numbers wrap around, and not all are used.
TEST_P(DeferredCollectivesOfATeam, ManyAreOpenAtOnce) {
  constexpr std::uint32_t kRanks = 5;
  constexpr std::uint32_t kOpen = 50;
  run(kRanks, [](Rank& me) {
    const std::uint32_t id = number(me.id);
    std::vector<std::uint64_t> sums(kOpen);
    std::vector<Request> over(kOpen);
    for (std::uint32_t i = 0; i < kOpen; ++i) {
      me.teams.front()
          ->deferred_collectives()
          .at(UINT32_MAX - kOpen + 3 * i)
          .contribute(me, id, bring(std::uint64_t{id} * i, sums[i]), add_up, over[i]);
      if (i % 7 == id) {
        yield(me);
      }
    }
    for (std::uint32_t i = kOpen; i-- > 0;) {
      wait(me, over[i]);
      EXPECT_EQ(sums[i], i * kRanks * (kRanks - 1) / 2);
    }
    return 0;
  });
}

// A rank can wait for a barrier and a deferred collective at the same time.
TEST_P(DeferredCollectivesOfATeam, ABarrierCanBeWaitedForBesideOtherThings) {
  constexpr std::uint32_t kRanks = 6;
  run(kRanks, [](Rank& me) {
    Team& all = *me.teams.front();
    const std::uint32_t id = number(me.id);
    for (std::uint32_t round = 0; round < 50; ++round) {
      std::uint64_t sum = 0;
      Request done;
      Request barrier;
      all.deferred_collectives().at(round).contribute(me, id, bring(1, sum), add_up, done);
      all.arrive_for(me, nullptr, nullptr, barrier);
      while (!barrier.done || !done.done) {
        Request* const both[] = {barrier.done ? nullptr : &barrier, done.done ? nullptr : &done};
        wait_any(me, both);
      }
      EXPECT_EQ(sum, std::uint64_t{kRanks});
      if (round % 10 == id) {
        yield(me);
      }
      if (round % 16 == 0) {
        me.job.migrate(me);
      }
    }
    return 0;
  });
}

}  // namespace
}  // namespace weft::runtime
