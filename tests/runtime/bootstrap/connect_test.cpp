// A process that no launcher has started.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "runtime/bootstrap/bootstrap.hpp"

namespace weft::bootstrap {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// What connect() writes to standard error as a task of a Slurm step.
std::string said_by(const char* task, const char* tasks) {
  ::setenv("SLURM_PROCID", task, 1);
  ::setenv("SLURM_STEP_NUM_TASKS", tasks, 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(connect()->processes(), 1U);
  ::unsetenv("SLURM_PROCID");
  ::unsetenv("SLURM_STEP_NUM_TASKS");
  return testing::internal::GetCapturedStderr();
}

TEST(Connect, TasksOfAStepWithoutPmiAreSaidToBeJobsOfTheirOwn) {
  EXPECT_THAT(said_by("0", "4"), HasSubstr("srun has started 4 tasks, each of which runs a whole job"));
}

TEST(Connect, OnlyTheFirstTaskSaysSo) { EXPECT_THAT(said_by("3", "4"), IsEmpty()); }

TEST(Connect, OneTaskIsOneJob) { EXPECT_THAT(said_by("0", "1"), IsEmpty()); }

}  // namespace
}  // namespace weft::bootstrap
