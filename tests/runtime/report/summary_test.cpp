#include "runtime/report/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "made_up.hpp"

namespace weft::report {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

TEST(Summary, IsALine) {
  EXPECT_EQ(summary_line(two_workers(), one_move()),
            "weft: balancing with greedy: 2 steps took 375.00 ms, 1 move (1 to another process, with 3.0 MiB); "
            "imbalance 1.50 in the first interval, 1.00 in the others; gained 625.00 ms\n");
}

TEST(Summary, SaysWhoseJoules) {
  JobInfo job = two_workers();
  job.joules = 1234;
  job.joules_from = "RAPL";
  EXPECT_THAT(summary_table(job, one_move(), 10), EndsWith("weft: 1234 J (RAPL)\n"));
  EXPECT_THAT(summary_line(job, one_move()), Not(HasSubstr("1234"))) << "only where a table is asked for";
}

TEST(Summary, SaysWhatLoadsAreMeasuredBy) {
  JobInfo job = two_workers();
  job.load_clock = "PAPI's PAPI_TOT_CYC, 60 ns a reading";
  job.counter = "PAPI_TOT_CYC";
  EXPECT_THAT(summary_table(job, one_move()), HasSubstr("\nloads measured by PAPI's PAPI_TOT_CYC, 60 ns a reading\n"));
  EXPECT_THAT(summary_line(job, one_move()), HasSubstr("; loads by PAPI's PAPI_TOT_CYC\n"));
  job.counter.clear();
  EXPECT_EQ(summary_line(job, one_move()), summary_line(two_workers(), one_move()));
}

TEST(Summary, SaysWhyNothingHappened) {
  const std::string line =
      "weft: balancing with greedy: no step: the program came to no MPI_Migrate at which one was due (every:1)\n";
  EXPECT_EQ(summary_line(two_workers(), History()), line);
  EXPECT_THAT(summary_table(two_workers(), History()), EndsWith(line));
  JobInfo stopped = two_workers();
  stopped.stopped_by = "threads of ranks call MPI";
  EXPECT_EQ(summary_line(stopped, History()), "weft: balancing with greedy: no step: threads of ranks call MPI\n");
}

TEST(Summary, NamesARankThatCouldNotLeave) {
  JobInfo job = two_workers();
  EXPECT_THAT(summary_table(job, one_move(), 10), Not(HasSubstr("could not leave")));
  job.pinned = "rank 3: stream 'log.txt' is open";
  EXPECT_THAT(summary_table(job, one_move(), 10),
              HasSubstr("\ncould not leave its process: rank 3: stream 'log.txt' is open (maybe others, too)\n"));
  EXPECT_EQ(summary_line(job, one_move()), summary_line(two_workers(), one_move()));
}

TEST(Summary, SaysInHowManyStepsNobodyMightMove) {
  JobInfo job = two_workers();
  job.held_steps = 3;
  EXPECT_THAT(summary_line(job, one_move()),
              HasSubstr("; in 3 steps nothing could move, as spawned ranks had not ended"));
  EXPECT_THAT(summary_line(two_workers(), one_move()), Not(HasSubstr("spawned")));
}

TEST(Summary, HasARowForEachStep) {
  const std::string table = summary_table(two_workers(), one_move());
  EXPECT_THAT(table, HasSubstr("greedy, every:1: 4 ranks on 2 workers"));
  EXPECT_THAT(table, testing::ContainsRegex("\n +1 +4.000 +4.0000 +1.500 +1.000 +1.000 +1 +3.0 MiB +250.000 +1.0000 "
                                            "+1.0000\n +2 +8.000 +4.0000 +1.000 +1.000 +- "));
  EXPECT_THAT(table, HasSubstr(summary_line(two_workers(), one_move())));
}

TEST(Summary, ALongTableIsShortened) {
  History history;
  for (int i = 0; i < 1000; ++i) {
    history.add(uneven_step(i + 1, 1, 3));
    history.finish_last(0);
  }
  const std::string table = summary_table(two_workers(), history, 10);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3 + 10 + 1);
  EXPECT_THAT(table, testing::ContainsRegex("\n +1000 +1000.000 "));
}

}  // namespace
}  // namespace weft::report
