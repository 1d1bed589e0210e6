#include "runtime/sync/team.hpp"

#include <memory>
#include <vector>

#include "runtime/p2p/point_to_point.hpp"
#include "tests/runtime/job_fixture.hpp"

namespace weft::runtime {
namespace {

class Teams : public JobTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Teams, kSettings, name_of);

struct Sum {
  static void add(Team& team, void*) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < team.size(); ++i) {
      sum += team.word(i);
    }
    *reinterpret_cast<std::uint64_t*>(team.result().bytes) = sum;
  }
};

std::uint64_t sum_over(Team& team, Rank& me, std::uint32_t number_in_team, std::uint64_t value) {
  team.word(number_in_team) = value;
  team.barrier(me, &Sum::add);
  return *reinterpret_cast<const std::uint64_t*>(team.result().bytes);
}

TEST_P(Teams, CombineWhatEveryMemberBroughtTimeAndAgain) {
  for (const std::uint32_t ranks : {2U, 7U, 33U}) {
    run(ranks, [ranks](Rank& me) {
      Team& all = *me.teams.front();
      const std::uint32_t id = number(me.id);
      for (std::uint64_t round = 0; round < 200; ++round) {
        EXPECT_EQ(sum_over(all, me, id, id + round), ranks * (ranks - 1) / 2 + ranks * round);
        if (round % 50 == id % 50) {
          yield(me);
        }
        if (round % 20 == 0) {
          me.job.migrate(me);
        }
      }
      return 0;
    });
  }
}

TEST_P(Teams, OfSomeRanksMeetWhileOthersDoSomethingElse) {
  constexpr std::uint32_t kRanks = 12;
  std::unique_ptr<Team> parts[3];
  run(kRanks, [&](Rank& me) {
    const std::uint32_t id = number(me.id);
    const std::uint32_t part = id % 3;
    Team& all = *me.teams.front();
    if (id < 3) {
      std::vector<Rank*> members;
      for (std::uint32_t r = part; r < kRanks; r += 3) {
        members.push_back(&me.job.rank(r));
      }
      parts[part] = me.job.make_team(members);
    }
    all.barrier(me);
    me.teams.push_back(parts[part].get());
    for (std::uint32_t round = 0; round < 100 * (part + 1); ++round) {
      EXPECT_EQ(sum_over(*parts[part], me, id / 3, 1), kRanks / 3);
    }
    all.barrier(me);
    me.job.migrate(me);
    EXPECT_EQ(sum_over(*parts[part], me, id / 3, 2), 2 * kRanks / 3);
    me.teams.pop_back();
    return 0;
  });
}

}  // namespace
}  // namespace weft::runtime
