// Exact MVA beside a textbook's example and closed forms.
#include "predict/mva.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace weft::predict {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

// Menasce, Dowdy, Almeida: Performance by Design, 2004, chapters 11 and 12 (the paper's reference 21): a database
// server with a CPU, a fast and a slow disk, and two customers; the balance equations give queues of 68/115, 48/115,
// 114/115.
constexpr std::array kDatabaseServer{Station{.visits = 1.0, .service = 10.0}, Station{.visits = 0.5, .service = 15.0},
                                     Station{.visits = 0.5, .service = 30.0}};

TEST(Mva, DatabaseServerOfTheTextbook) {
  const MvaResult one = exact_mva(kDatabaseServer, 1);
  EXPECT_NEAR(one.response, 32.5, 1e-12);
  EXPECT_THAT(one.queue,
              ElementsAre(DoubleNear(4.0 / 13, 1e-12), DoubleNear(3.0 / 13, 1e-12), DoubleNear(6.0 / 13, 1e-12)));
  const MvaResult two = exact_mva(kDatabaseServer, 2);
  EXPECT_THAT(two.response_at,
              ElementsAre(DoubleNear(170.0 / 13, 1e-12), DoubleNear(120.0 / 13, 1e-12), DoubleNear(285.0 / 13, 1e-12)));
  EXPECT_THAT(two.queue, ElementsAre(DoubleNear(68.0 / 115, 1e-12), DoubleNear(48.0 / 115, 1e-12),
                                     DoubleNear(114.0 / 115, 1e-12)));
  EXPECT_NEAR(two.throughput, 26.0 / 575, 1e-12);
}

// K equal queues: R = D (N + K - 1).
TEST(Mva, EqualQueues) {
  const std::vector<Station> stations(4, {.visits = 0.5, .service = 3.0});
  for (const std::uint32_t customers : {1U, 2U, 7U, 100U}) {
    EXPECT_NEAR(exact_mva(stations, customers).response, 1.5 * (customers + 3.0), 1e-9);
  }
}

// One queue of demand 1 and thinking of 2: the machine repairman's model. With three machines
// p0 = 1 / (1 + 3/2 + 6/4 + 6/8) = 4/19 and X = 1 - p0.
TEST(Mva, MachineRepairman) {
  const std::array queue{Station{.visits = 1.0, .service = 1.0}};
  EXPECT_NEAR(exact_mva(queue, 3, 2.0).throughput, 15.0 / 19, 1e-12);
}

TEST(CycleTime, QueuesWithOneServerAsByMva) {
  const std::array queues{Queue{.demand = 10.0}, Queue{.demand = 7.5}, Queue{.demand = 15.0}};
  for (const std::uint32_t customers : {1U, 2U, 40U}) {
    EXPECT_NEAR(cycle_time(queues, customers), exact_mva(kDatabaseServer, customers).response, 1e-9);
    EXPECT_NEAR(cycle_time(queues, customers, 3.0), exact_mva(kDatabaseServer, customers, 3.0).response + 3.0, 1e-9);
  }
}

// Two repairmen, three machines: p = 1, 3/2, 3/4, 3/16 of 55/16, so X = (3/2 + 2 (3/4 + 3/16)) / (55/16) = 54/55.
TEST(CycleTime, TwoRepairmen) {
  const std::array queue{Queue{.demand = 1.0, .servers = 2}};
  EXPECT_NEAR(cycle_time(queue, 3, 2.0), 3.0 * 55.0 / 54.0, 1e-12);
}

TEST(CycleTime, NobodyWaitsWithAServerForEach) {
  const std::array queue{Queue{.demand = 5e-6, .servers = 1000}};
  EXPECT_NEAR(cycle_time(queue, 1000), 5e-6, 1e-15);
  EXPECT_NEAR(cycle_time(queue, 3000), 15e-6, 1e-12);
  EXPECT_NEAR(cycle_time(queue, 10, 1000.0), 1000.0 + 5e-6, 1e-9);
}

TEST(Mva, NoCustomersTakeNoTime) {
  EXPECT_EQ(exact_mva(kDatabaseServer, 0).response, 0.0);
  EXPECT_THAT(exact_mva(kDatabaseServer, 0).queue, ElementsAre(0.0, 0.0, 0.0));
}

}  // namespace
}  // namespace weft::predict
