// The same jobs under other launchers, and on two hosts that are two network namespaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <ostream>

#include "tests/runtime/bootstrap/run_program.hpp"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Launcher {
  const char* tool;
  std::vector<std::string> options;
};

void PrintTo(const Launcher& launcher, std::ostream* to) { *to << launcher.tool; }

class Launchers : public testing::TestWithParam<Launcher> {
 protected:
  void SetUp() override {
    if (find_tool(GetParam().tool).empty()) {
      GTEST_SKIP() << "there is no " << GetParam().tool << " here";
    }
  }
  static Outcome run(int processes, const std::vector<std::string>& scenario, const std::string& input = "") {
    std::vector<std::string> command{GetParam().tool};
    command.insert(command.end(), GetParam().options.begin(), GetParam().options.end());
    command.insert(command.end(), {"-n", std::to_string(processes), WEFT_BOOTSTRAP_JOB});
    command.insert(command.end(), scenario.begin(), scenario.end());
    // Open MPI's mpirun hangs in PMIx_server_finalize about once in a hundred runs, when all processes are dead.
    constexpr int kTries = 3;
    Outcome outcome = run_program(command, input);
    for (int i = 1; i < kTries && outcome.hung_alone; ++i) {
      outcome = run_program(command, input);
    }
    return outcome;
  }
};

TEST_P(Launchers, AreFoundAndCarryAnyBytes) {
  for (const int processes : {1, 3}) {
    const auto outcome = run(processes, {"exchange"});
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    for (int i = 0; i < processes; ++i) {
      EXPECT_THAT(outcome.output,
                  HasSubstr("process " + std::to_string(i) + " of " + std::to_string(processes) + ", "));
    }
    EXPECT_THAT(outcome.left, IsEmpty());
  }
}

TEST_P(Launchers, EndTheJobOnAbort) {
  const auto outcome = run(3, {"die", "1", "abort", "7", "run"});
  EXPECT_EQ(outcome.code, 7) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("process 1 aborts"));
  EXPECT_LT(outcome.seconds, 45);
  EXPECT_THAT(outcome.left, IsEmpty());
}

TEST_P(Launchers, EndTheJobWhenAProcessIsKilled) {
  const auto outcome = run(3, {"die", "2", "signal", "11", "fence"});
  EXPECT_NE(outcome.code, 0);
  EXPECT_LT(outcome.seconds, 45);
  EXPECT_THAT(outcome.left, IsEmpty());
}

TEST_P(Launchers, GiveTheirInputToProcess0) {
  const auto outcome = run(2, {"input", "first"}, "a\nb\n");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("process 0 read 2 lines"));
}

INSTANTIATE_TEST_SUITE_P(All, Launchers,
                         testing::Values(Launcher{"mpiexec.hydra", {}},
                                         Launcher{"mpirun.openmpi", {"--allow-run-as-root", "--oversubscribe"}},
                                         Launcher{"prterun", {"--allow-run-as-root", "--map-by", ":oversubscribe"}}),
                         [](const auto& one) {
                           const std::string name = one.param.tool;
                           return name.substr(0, name.find('.')) + (name == "mpirun.openmpi" ? "_openmpi" : "");
                         });

// Two namespaces with a wire between them, as hosts; gone with the test.
class TwoHosts : public testing::Test {
 protected:
  TwoHosts() : a_("weft-a-" + std::to_string(::getpid())), b_("weft-b-" + std::to_string(::getpid())) {
    agent_ = testing::TempDir() + "weft-agent-" + std::to_string(::getpid());
    std::ofstream(agent_) << "host=$1\nshift\nexec ip netns exec \"$host\" sh -c \"$*\"\n";
  }
  ~TwoHosts() override {
    ::unlink(agent_.c_str());
    run_program({"ip", "netns", "del", a_});
    run_program({"ip", "netns", "del", b_});
  }
  void SetUp() override {
    if (find_tool("ip").empty()) {
      GTEST_SKIP() << "there is no ip (iproute2) here";
    }
    const std::string script =
        "ip netns add $0; ip netns add $1; ip link add wa netns $0 type veth peer name wb netns $1\n"
        "ip -n $0 addr add 10.213.7.1/24 dev wa; ip -n $1 addr add 10.213.7.2/24 dev wb\n"
        "ip -n $0 link set lo up; ip -n $1 link set lo up; ip -n $0 link set wa up; ip -n $1 link set wb up";
    const auto made = run_program({"sh", "-ec", script, a_, b_});
    if (made.code != 0) {
      GTEST_SKIP() << "no network namespaces here: " << made.output;
    }
  }
  // The launcher runs on the first host, too, but does not know its name.
  std::vector<std::string> job(const std::vector<std::string>& scenario) const {
    std::vector<std::string> command{
        "ip", "netns", "exec", a_, WEFT_BOOTSTRAP_JOB, "--agent", "sh " + agent_, "--launch", a_ + ":2," + b_ + ":2"};
    command.insert(command.end(), scenario.begin(), scenario.end());
    return command;
  }

  std::string a_, b_, agent_;
};

TEST_F(TwoHosts, AreOneJob) {
  const auto run = run_program(job({"exchange"}));
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("process 1 of 4, local 1 of 2, host 0 of 2"));
  EXPECT_THAT(run.output, HasSubstr("process 2 of 4, local 0 of 2, host 1 of 2"));
  EXPECT_THAT(run.left, IsEmpty());
}

TEST_F(TwoHosts, NameTheOneWhereAProcessDied) {
  const auto run = run_program(job({"die", "3", "signal", "11", "fence"}));
  EXPECT_EQ(run.code, 139) << run.output;
  EXPECT_THAT(run.output, HasSubstr("process 3 on host " + b_ + " (ranks 12-15) was killed by signal 11"));
  EXPECT_LT(run.seconds, 45);
  EXPECT_THAT(run.left, IsEmpty());
}

TEST_F(TwoHosts, AreFreeAfterwards) {
  ProgramRun run(job({"wait"}));
  ASSERT_TRUE(run.wait_for("waiting", 4));
  ::kill(run.pid(), SIGINT);
  const auto outcome = run.finish();
  EXPECT_EQ(outcome.code, 130) << outcome.output;
  EXPECT_THAT(outcome.left, IsEmpty());
}

}  // namespace
}  // namespace weft::test
