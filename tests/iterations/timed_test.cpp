// Jobs in virtual time, with ranks whose speeds change: how early they finish, how well that was predicted, and with
// how many messages. A rank answers messages only between its leases, as in a program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "protocol_model.hpp"
#include "tests/sanitized.hpp"

namespace weft::iterations {
namespace {

constexpr double kSecondsEach = 30;    // of work for each rank at full speed
constexpr double kFullSpeed = 100000;  // iterations per second
constexpr double kBlock = 0.05;        // seconds in which a speed stays as it is
constexpr std::size_t kBlocks = 4000;
const Limits kLimits{.checkpoint_seconds = 3, .max_deviation = 0.1, .min_seconds = 0.03};

// The iterations that a rank does by the end of each block if it always has work.
using Work = std::vector<double>;

enum class Neighbour { none, half, on_and_off };

// Noise of 3 % that stays for about two seconds. A neighbour takes half of the core.
Work work_of(Neighbour neighbour, std::mt19937& random) {
  std::normal_distribution<double> normal(0, 0.03);
  std::uniform_real_distribution<double> duration(2, 10);
  Work work{0};
  double noise = 0, until = 0;
  bool on = false;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const double time = kBlock * static_cast<double>(block);
    noise = block % 10 == 0 ? 0.8 * noise + 0.6 * normal(random) : noise;
    if (time >= until) {
      on = !on;
      until = time + duration(random);
    }
    double share = 1;
    if (neighbour == Neighbour::half) {
      share = block % 2 == 0 ? 0.25 : 0.75;  // the system switches between the two processes
    } else if (neighbour == Neighbour::on_and_off && on) {
      share = 0.5;
    }
    work.push_back(work.back() + kFullSpeed * std::exp(noise) * share * kBlock);
  }
  return work;
}

double done_at(const Work& work, double time) {
  const auto block = std::min(kBlocks - 1, static_cast<std::size_t>(time / kBlock));
  const double part = time / kBlock - static_cast<double>(block);
  return work[block] + part * (work[block + 1] - work[block]);
}

// When a rank that begins at `time` has done `count` iterations more.
double time_after(const Work& work, double time, double count) {
  const double target = done_at(work, time) + count;
  const auto block = static_cast<std::size_t>(std::ranges::upper_bound(work, target) - work.begin()) - 1;
  return kBlock * (static_cast<double>(block) + (target - work[block]) / (work[block + 1] - work[block]));
}

// When all would finish together.
double ideal_finish(const std::vector<Work>& works, double total) {
  double time = 0;
  const auto done = [&](double when) {
    return std::accumulate(works.begin(), works.end(), 0.0,
                           [when](double sum, const Work& work) { return sum + done_at(work, when); });
  };
  while (done(time) < total) {
    time += 0.001;
  }
  return time;
}

struct Outcome {
  double finish = 0, spread = 0, ideal = 0;
  double predicted = 0;  // the finish, predicted after a fifth of the work's time
};

class TimedJob {
 public:
  TimedJob(const std::vector<std::size_t>& groups, Neighbour neighbour, unsigned seed)
      : ranks_(std::accumulate(groups.begin(), groups.end(), std::size_t{0})),
        total_(static_cast<Index>(kSecondsEach * kFullSpeed) * static_cast<Index>(ranks_)),
        model_(kLimits, total_, groups, {}),
        acts_at_(ranks_, 0.0),
        finish_(ranks_, 0.0) {
    std::mt19937 random(seed);
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      works_.push_back(work_of(rank == 0 ? neighbour : Neighbour::none, random));
    }
  }

  Outcome run() {
    Outcome outcome;
    while (!model_.ended() && !testing::Test::HasFailure()) {
      const auto rank = static_cast<std::size_t>(std::ranges::min_element(acts_at_) - acts_at_.begin());
      act(rank);
      const Prediction& prediction = model_.root().task().prediction();
      if (outcome.predicted == 0 && model_.now() >= 0.2 * kSecondsEach) {
        outcome.predicted = prediction.at + prediction.seconds_left;
      }
    }
    const auto [first, last] = std::ranges::minmax(finish_);
    outcome.finish = last;
    outcome.spread = last - first;
    outcome.ideal = ideal_finish(works_, static_cast<double>(total_));
    return outcome;
  }

 private:
  // A rank comes to the library: it has done its lease, takes its messages and goes on.
  void act(std::size_t rank) {
    model_.take({Choice::What::advance, 0, std::max(1e-6, acts_at_[rank] - model_.now())});
    if (model_.lease(rank) > 0) {
      finish_[rank] = model_.now();
    }
    if (model_.may_step(rank)) {
      model_.take({Choice::What::step, rank, 0});
    }
    deliver_to(rank);
    if (model_.may_step(rank) && model_.lease(rank) == 0 && !model_.worker(rank).finished()) {
      model_.take({Choice::What::step, rank, 0});
    }
    EXPECT_EQ(model_.fault(), "");
    EXPECT_LT(model_.longest_unanswered(), 2.5 * kLimits.checkpoint_seconds) << "rank 0 would be called silent";
    EXPECT_LT(model_.now(), 4 * kSecondsEach) << "no end";
    const auto lease = static_cast<double>(model_.lease(rank));
    acts_at_[rank] = lease > 0 ? time_after(works_[rank], model_.now(), lease) : model_.now() + 0.001;
    acts_at_[rank] += model_.worker(rank).finished() ? 1e9 : 0;
  }

  // Messages to roles on this rank, and those between roles of one rank.
  void deliver_to(std::size_t rank) {
    for (bool any = true; any;) {
      any = false;
      model_.take({Choice::What::advance, 0, 1e-6});
      for (const Choice& choice : model_.choices()) {
        if (!any && choice.what == Choice::What::deliver &&
            (model_.is_local(choice.who) || model_.receiving_worker(choice.who) == rank)) {
          model_.take(choice);
          any = true;
        }
      }
    }
  }

  std::size_t ranks_;
  Index total_;
  ProtocolModel model_;
  std::vector<double> acts_at_, finish_;
  std::vector<Work> works_;
};

struct Case {
  std::string name;
  std::vector<std::size_t> groups;
  Neighbour neighbour;
  double off_by;  // the prediction, as a part of the finish; 1: nobody can know what the neighbour will do
};

class TimedJobs : public testing::TestWithParam<Case> {};

TEST_P(TimedJobs, FinishTogetherAndWhenPredicted) {
  for (unsigned seed = 1; seed <= (kSanitized ? 2 : 8); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Outcome outcome = TimedJob(GetParam().groups, GetParam().neighbour, seed).run();
    if (HasFailure()) {
      return;
    }
    EXPECT_LT(outcome.spread, 0.2 * kLimits.checkpoint_seconds);
    EXPECT_LT(outcome.finish, 1.01 * outcome.ideal);
    EXPECT_LT(std::abs(outcome.predicted / outcome.finish - 1), GetParam().off_by) << outcome.predicted;
  }
}

INSTANTIATE_TEST_SUITE_P(Iterations, TimedJobs,
                         testing::Values(Case{"quiet", {1, 1}, Neighbour::none, 0.05},
                                         Case{"quiet_groups", {4, 4}, Neighbour::none, 0.05},
                                         Case{"half", {1, 1}, Neighbour::half, 0.05},
                                         Case{"half_groups", {2, 2, 2, 2}, Neighbour::half, 0.05},
                                         Case{"hog", {1, 1}, Neighbour::on_and_off, 1},
                                         Case{"hog_groups", {4, 4}, Neighbour::on_and_off, 1}),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace weft::iterations
