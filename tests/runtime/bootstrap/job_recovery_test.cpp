// How a job continues whose processes die or are to be changed. The runs of its processes are simulated.
#include "runtime/bootstrap/job_recovery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace weft::bootstrap {
namespace {

using testing::ElementsAre;

RunEnd ends_with(int code) {
  RunEnd end;
  end.code = code;
  return end;
}

struct Run {
  Run(RunEnd how, bool goes_on = false) : end(std::move(how)), resumed(goes_on) {}
  RunEnd end;
  bool resumed;  // its ranks went on from the image that there was
};

Run resumed(const Run& run) { return {run.end, true}; }

RunEnd changes_to(std::uint32_t count, std::uint32_t workers_each) {
  RunEnd end;
  end.next =
      ProcessSet{.hosts = std::vector<std::uint32_t>(count), .workers = std::vector(count, workers_each), .before = {}};
  end.next->before.resize(count);
  return end;
}

RunEnd dies(int signal = SIGKILL) {
  RunEnd end = ends_with(128 + signal);
  end.death = ProcessDeath{.process = 0, .signal = signal, .site = "", .from_outside = signal == SIGKILL};
  return end;
}

// A job of two processes with simulated run results. The first run writes an image before it ends; with `each`, so do
// all runs.
struct Played {
  explicit Played(const std::vector<Run>& runs, bool each = true) {
    std::optional<RemoteHosts> others;
    JobImages images(others);
    JobRecovery recovery({.hosts = {0, 0}, .workers = {}, .before = {}}, 10, images);
    auto next = runs.begin();
    code = recovery.run(
        [&](const ProcessSet& processes) {
          counts.push_back(processes.count());
          if (each || counts.size() == 1) {
            recovery.on_image(static_cast<std::uint32_t>(counts.size() % kImages), 1, -1, "");
          }
          if (next == runs.end()) {
            throw std::runtime_error("no socket");
          }
          if (next->resumed) {
            recovery.on_resumed();
          }
          return (next++)->end;
        },
        [&](const ProcessSet& processes) {
          workers.push_back(processes.workers.empty() ? 0 : processes.workers.front());
        });
  }

  std::vector<std::uint32_t> counts;   // of the processes of each run
  std::vector<std::uint32_t> workers;  // of each of them, from the second run on
  int code = -1;
};

TEST(JobRecovery, GoesOnWithTheProcessesThatAreAskedFor) {
  const Played played({changes_to(5, 3), resumed(changes_to(1, 3)), resumed(ends_with(7))});
  EXPECT_THAT(played.counts, ElementsAre(2, 5, 1));
  EXPECT_THAT(played.workers, ElementsAre(3, 3));
  EXPECT_EQ(played.code, 7);
}

TEST(JobRecovery, GoesBackWhereTheyDoNotStart) {
  const Played played({changes_to(5, 3), ends_with(1), ends_with(0)});
  EXPECT_THAT(played.counts, ElementsAre(2, 5, 2));
  EXPECT_THAT(played.workers, ElementsAre(3, 0)) << "0: as the job was started";
  EXPECT_EQ(played.code, 0);
}

TEST(JobRecovery, GoesBackWhereTheyCannotBeMade) {
  EXPECT_THROW(Played({}), std::runtime_error) << "there were none before";
  EXPECT_THROW(Played({changes_to(5, 3), ends_with(1)}), std::runtime_error) << "nor those before";
}

TEST(JobRecovery, GoesOnAsItWasWhereAHostOfTheirsIsLostBefore) {
  RunEnd refused = ends_with(0);
  refused.next.emplace().refusal = "host b: its connection has ended";
  const Played played({refused, resumed(ends_with(0))});
  EXPECT_THAT(played.counts, ElementsAre(2, 2));
  EXPECT_EQ(played.code, 0);
}

TEST(JobRecovery, EndsWhereTheyFailLater) {
  const Played played({changes_to(5, 3), resumed(ends_with(1))});
  EXPECT_THAT(played.counts, ElementsAre(2, 5));
  EXPECT_EQ(played.code, 1);
}

TEST(JobRecovery, EndsWhereASignalStopsThemAsTheyStart) {
  RunEnd stopped = ends_with(128 + SIGTERM);
  stopped.stopped = true;
  const Played played({changes_to(5, 3), stopped});
  EXPECT_THAT(played.counts, ElementsAre(2, 5));
  EXPECT_EQ(played.code, 128 + SIGTERM);
}

TEST(JobRecovery, StartsAsManyAgainWhereOneDies) {
  const Played played({dies(), resumed(changes_to(3, 1)), dies(), resumed(dies()), resumed(ends_with(0))});
  EXPECT_THAT(played.counts, ElementsAre(2, 2, 3, 3, 3));
  EXPECT_EQ(played.code, 0);
}

TEST(JobRecovery, GoesBackWhereTheyDieAgainAndAgain) {
  const RunEnd crashes = dies(SIGSEGV);
  const Played played({changes_to(5, 3), crashes, crashes, resumed(ends_with(0))}, false);
  EXPECT_THAT(played.counts, ElementsAre(2, 5, 5, 2));
  EXPECT_EQ(played.code, 0);
}

}  // namespace
}  // namespace weft::bootstrap
