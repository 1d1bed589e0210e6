// DeferredCollectives: nobody waits to leave what it brings, and all are told once the last has come.
#include "runtime/sync/deferred_collective.hpp"

#include <vector>

#include "runtime/sync/team.hpp"
#include "tests/runtime/job_fixture.hpp"

namespace weft::runtime {
namespace {

class AppointmentsOfATeam : public JobTest {};
INSTANTIATE_TEST_SUITE_P(Settings, AppointmentsOfATeam, kSettings, name_of);

// Word 0 of each is what it brings, word 1 where the sum goes.
void add_up(DeferredCollective& appointment) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < appointment.size(); ++i) {
    sum += reinterpret_cast<std::uint64_t>(appointment.cell(i).words[0]);
  }
  for (std::uint32_t i = 0; i < appointment.size(); ++i) {
    *static_cast<std::uint64_t*>(const_cast<void*>(appointment.cell(i).words[1])) = sum;
  }
}

DeferredCollective::ExchangeSlot bring(std::uint64_t value, std::uint64_t& sum) {
  DeferredCollective::ExchangeSlot cell;
  cell.words[0] = reinterpret_cast<const void*>(value);
  cell.words[1] = &sum;
  return cell;
}

TEST_P(AppointmentsOfATeam, ActForAllAndTellThem) {
  for (const std::uint32_t ranks : {1U, 2U, 7U, 33U}) {
    run(ranks, [ranks](Rank& me) {
      const std::uint32_t id = number(me.id);
      for (std::uint32_t round = 0; round < 100; ++round) {
        std::uint64_t sum = 0;
        Request over;
        me.teams.front()->appointments().come(me, id, round, bring(id + round, sum), add_up, over);
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

// Some are far ahead of others; numbers count around, and not every one is used.
TEST_P(AppointmentsOfATeam, ManyAreOpenAtOnce) {
  constexpr std::uint32_t kRanks = 5;
  constexpr std::uint32_t kOpen = 50;
  run(kRanks, [](Rank& me) {
    const std::uint32_t id = number(me.id);
    std::vector<std::uint64_t> sums(kOpen);
    std::vector<Request> over(kOpen);
    for (std::uint32_t i = 0; i < kOpen; ++i) {
      me.teams.front()->appointments().come(me, id, UINT32_MAX - kOpen + 3 * i, bring(id * i, sums[i]), add_up,
                                            over[i]);
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

// What was to be waited for beside a meeting ends with it.
TEST_P(AppointmentsOfATeam, AMeetingCanBeWaitedForBesideOtherThings) {
  constexpr std::uint32_t kRanks = 6;
  run(kRanks, [](Rank& me) {
    Team& all = *me.teams.front();
    const std::uint32_t id = number(me.id);
    for (std::uint32_t round = 0; round < 50; ++round) {
      std::uint64_t sum = 0;
      Request told;
      Request met;
      all.appointments().come(me, id, round, bring(1, sum), add_up, told);
      all.arrive_for(me, nullptr, nullptr, met);
      while (!met.done || !told.done) {
        Request* const both[] = {met.done ? nullptr : &met, told.done ? nullptr : &told};
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
