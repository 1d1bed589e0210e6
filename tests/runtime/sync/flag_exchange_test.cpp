// FlagExchanges: members post bytes and read what all have posted, also where several share a worker and sleep.
#include "runtime/sync/flag_exchange.hpp"

#include <array>
#include <chrono>
#include <cstring>

#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"
#include "tests/runtime/job_fixture.hpp"

namespace weft::runtime {
namespace {

class FlagExchanges : public JobTest {};
INSTANTIATE_TEST_SUITE_P(Settings, FlagExchanges, kSettings, name_of);

void exchange_all(FlagExchange& exchange, Rank& me, std::uint64_t signature) {
  const std::uint32_t id = number(me.id);
  exchange.post(id, signature);
  if (!exchange.all_posted(*Worker::current(), id)) {
    Request request;
    exchange.await_all(me, id, request);
    wait(me, request);
  }
}

// Each round posts a different full page: a member that ran ahead would overwrite what others still read.
TEST_P(FlagExchanges, ShowEveryMemberWhatAllHavePosted) {
  for (const std::uint32_t ranks : {1U, 2U, 3U, 8U}) {
    FlagExchange exchange(ranks);
    run(ranks, [&](Rank& me) {
      using FlagPage = std::array<std::uint64_t, FlagExchange::kBytes / sizeof(std::uint64_t)>;
      const std::uint32_t id = number(me.id);
      for (std::uint64_t round = 0; round < 200; ++round) {
        FlagPage page;
        page.fill(id + 1000 * round);
        std::memcpy(exchange.next_page(id), page.data(), FlagExchange::kBytes);
        exchange_all(exchange, me, round + id);
        for (std::uint32_t i = 0; i < ranks; ++i) {
          std::memcpy(page.data(), exchange.page(id, i), FlagExchange::kBytes);
          FlagPage posted;
          posted.fill(i + 1000 * round);
          EXPECT_EQ(page, posted) << "round " << round;
          EXPECT_EQ(exchange.signature(id, i), round + i);
        }
        if (round % 40 == std::uint64_t{10} * (id % 4)) {
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

// In each round another member comes so late that the others go to sleep.
TEST_P(FlagExchanges, WakeThoseWhoSleep) {
  constexpr std::uint32_t kRanks = 3;
  FlagExchange exchange(kRanks);
  run(kRanks, [&](Rank& me) {
    for (std::uint32_t round = 0; round < 12; ++round) {
      if (round % kRanks == number(me.id)) {
        const auto late = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
        while (std::chrono::steady_clock::now() < late) {
          yield(me);
        }
      }
      exchange_all(exchange, me, round);
      EXPECT_EQ(exchange.signature(number(me.id), (number(me.id) + 1) % kRanks), round);
    }
    return 0;
  });
}

TEST_P(FlagExchanges, AreThoseOfTeamsThatHaveAWorkerForEachRank) {
  for (const std::uint32_t ranks : {1U, 2U, 4U, 5U}) {
    run(ranks, [&](Rank& me) {
      EXPECT_EQ(me.teams.front()->flag_exchange() != nullptr, ranks <= GetParam().workers);
      return 0;
    });
  }
}

}  // namespace
}  // namespace weft::runtime
