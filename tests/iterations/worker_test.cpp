// How a worker sizes its leases.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "iterations/roles.hpp"

namespace weft::iterations {
namespace {

// A worker with many iterations whose leases should take one second. Each iteration takes 0.1 s.
class LeasesOfASecond : public testing::Test {
 protected:
  LeasesOfASecond() {
    worker_.begin(0, up_);
    Message assignment;
    assignment.kind = MessageKind::assign;
    assignment.grants = 1;
    assignment.granted = RangeSet(0, 1'000'000);
    assignment.target = 1'000'000;
    assignment.interval = 300;
    worker_.receive(assignment, 0, up_);
  }

  // The next lease: its length.
  Index next() {
    EXPECT_EQ(worker_.next(now_, lease_, up_), Worker::Next::lease);
    return lease_.count;
  }
  // Does the lease and reports all but the last `unreported` iterations of it, in two parts.
  void work(Index unreported) {
    now_ += 0.1 * static_cast<double>(lease_.count);
    const Index reported = std::max(Index{0}, lease_.count - unreported);
    EXPECT_TRUE(worker_.report(reported / 2, now_, up_));
    EXPECT_TRUE(worker_.report(reported - reported / 2, now_, up_));
  }

  std::vector<Message> up_;
  Worker worker_{{.checkpoint_seconds = 300, .max_deviation = 0.1, .min_seconds = 0}, 1};
  Range lease_;
  double now_ = 0;
};

TEST_F(LeasesOfASecond, GrowHoweverTheirIterationsAreReported) {
  for (const Index unreported : {1'000, 5, 1, 0}) {
    for (int lease = 0; lease < 6; ++lease) {
      next();
      work(unreported);
    }
    EXPECT_NEAR(static_cast<double>(next()), 10, 1) << unreported;
    work(unreported);
  }
}

TEST_F(LeasesOfASecond, EndOnceAlsoIfAllIsReported) {
  EXPECT_FALSE(worker_.finish_lease(now_, up_));
  next();
  work(0);
  EXPECT_TRUE(worker_.finish_lease(now_, up_));
  EXPECT_FALSE(worker_.finish_lease(now_, up_));
}

}  // namespace
}  // namespace weft::iterations
