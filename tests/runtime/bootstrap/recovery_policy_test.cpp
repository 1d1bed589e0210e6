#include "runtime/bootstrap/recovery_policy.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace weft::bootstrap {
namespace {

using Verdict = RecoveryPolicy::Verdict;

const ProcessDeath kKilled{.process = 0, .signal = SIGKILL, .site = ""};
const ProcessDeath kCrashInSend{.process = 1, .signal = SIGSEGV, .site = "rank 3, last in MPI_Send"};

TEST(RecoveryPolicy, GoesOnAfterDeathsFromOutside) {
  RecoveryPolicy policy(100);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(policy.on_death(kKilled), Verdict::recover);
  }
}

TEST(RecoveryPolicy, StopsAtItsLimit) {
  RecoveryPolicy policy(2);
  EXPECT_EQ(policy.on_death(kKilled), Verdict::recover);
  policy.on_image();
  EXPECT_EQ(policy.on_death(kCrashInSend), Verdict::recover);
  EXPECT_EQ(policy.on_death(kKilled), Verdict::limit_reached);
  EXPECT_EQ(policy.recoveries(), 2U);
  EXPECT_EQ(RecoveryPolicy(0).on_death(kKilled), Verdict::limit_reached);
}

TEST(RecoveryPolicy, KnowsTheSameCrash) {
  RecoveryPolicy policy(100);
  EXPECT_EQ(policy.on_death(kCrashInSend), Verdict::recover);
  ProcessDeath elsewhere = kCrashInSend;
  elsewhere.process = 0;  // where the rank lives now
  EXPECT_EQ(policy.on_death(elsewhere), Verdict::same_crash);
}

TEST(RecoveryPolicy, KnowsItAcrossADeathFromOutside) {
  RecoveryPolicy policy(100);
  EXPECT_EQ(policy.on_death(kCrashInSend), Verdict::recover);
  EXPECT_EQ(policy.on_death(kKilled), Verdict::recover);
  EXPECT_EQ(policy.on_death(kCrashInSend), Verdict::same_crash);
}

TEST(RecoveryPolicy, TakesAnotherPlaceOrSignalForAnotherCrash) {
  RecoveryPolicy policy(100);
  EXPECT_EQ(policy.on_death(kCrashInSend), Verdict::recover);
  EXPECT_EQ(policy.on_death({.process = 1, .signal = SIGFPE, .site = kCrashInSend.site}), Verdict::recover);
  EXPECT_EQ(policy.on_death({.process = 1, .signal = SIGFPE, .site = "rank 3, last in MPI_Recv"}), Verdict::recover);
  EXPECT_EQ(policy.on_death({.process = 1, .signal = SIGFPE, .site = ""}), Verdict::recover);
}

TEST(RecoveryPolicy, KnowsItAcrossAnotherCrash) {
  RecoveryPolicy policy(100);
  EXPECT_EQ(policy.on_death(kCrashInSend), Verdict::recover);
  EXPECT_EQ(policy.on_death({.process = 0, .signal = SIGSEGV, .site = "rank 0, last in MPI_Send"}), Verdict::recover);
  EXPECT_EQ(policy.on_death(kCrashInSend), Verdict::same_crash);
}

TEST(RecoveryPolicy, TakesATimerOfTheProgramForItsOwn) {
  RecoveryPolicy policy(100);
  EXPECT_EQ(policy.on_death({.process = 1, .signal = SIGALRM, .site = ""}), Verdict::recover);
  EXPECT_EQ(policy.on_death({.process = 1, .signal = SIGALRM, .site = ""}), Verdict::same_crash);
}

TEST(RecoveryPolicy, ComparesProcessesWhereNoPlaceIsKnown) {
  RecoveryPolicy policy(100);
  EXPECT_EQ(policy.on_death({.process = 1, .signal = SIGSEGV, .site = ""}), Verdict::recover);
  EXPECT_EQ(policy.on_death({.process = 2, .signal = SIGSEGV, .site = ""}), Verdict::recover);
  EXPECT_EQ(policy.on_death({.process = 2, .signal = SIGSEGV, .site = ""}), Verdict::same_crash);
}

TEST(RecoveryPolicy, AllowsTheSameCrashAfterProgress) {
  RecoveryPolicy policy(100);
  EXPECT_EQ(policy.on_death(kCrashInSend), Verdict::recover);
  policy.on_image();
  EXPECT_EQ(policy.on_death(kCrashInSend), Verdict::recover);
}

TEST(RecoveryPolicy, DoesNotBlameTheProgramForSignalsOfOthers) {
  RecoveryPolicy policy(100);
  ProcessDeath sent = kCrashInSend;
  sent.from_outside = true;
  EXPECT_EQ(policy.on_death(sent), Verdict::recover);
  EXPECT_EQ(policy.on_death(sent), Verdict::recover);
}

}  // namespace
}  // namespace weft::bootstrap
