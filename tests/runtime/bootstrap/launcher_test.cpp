// Jobs under the embedded launcher: how processes communicate and end, and that nothing is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>

#include "tests/runtime/bootstrap/run_program.hpp"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

// A lost process ends the job within 2 s; the others would wait for a minute.
constexpr double kSoon = 45;

std::vector<std::string> job(const std::string& hosts, std::vector<std::string> scenario) {
  std::vector<std::string> command{WEFT_BOOTSTRAP_JOB, "--launch", hosts};
  command.insert(command.end(), scenario.begin(), scenario.end());
  return command;
}

std::string on_this_host(int processes) { return "localhost:" + std::to_string(processes); }

class Processes : public testing::TestWithParam<int> {};

TEST_P(Processes, ExchangeAnyBytes) {
  const auto run = run_program(job(on_this_host(GetParam()), {"exchange"}));
  EXPECT_EQ(run.code, 0) << run.output;
  for (int i = 0; i < GetParam(); ++i) {
    EXPECT_THAT(run.output,
                HasSubstr("process " + std::to_string(i) + " of " + std::to_string(GetParam()) + ", local " +
                          std::to_string(i) + " of " + std::to_string(GetParam()) + ", host 0 of 1, "));
  }
  EXPECT_THAT(run.left, IsEmpty());
}

TEST_P(Processes, EndWithTheLargestCode) {
  const auto run = run_program(job(on_this_host(GetParam()), {"code", "0"}));
  // Without finish(), only code 0 of process 0 would be a regular end. This scenario calls finish() with these codes.
  EXPECT_EQ(run.code, GetParam() - 1) << run.output;
  EXPECT_THAT(run.output, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Counts, Processes, testing::Values(1, 2, 3, 5, 8));

// The text after `name` in every line that contains it.
std::vector<std::string> fields(const std::string& output, const std::string& name) {
  std::vector<std::string> found;
  for (auto at = output.find(name); at != std::string::npos; at = output.find(name, at + 1)) {
    const auto begin = at + name.size();
    found.push_back(output.substr(begin, output.find_first_of(",\n", begin) - begin));
  }
  return found;
}

TEST(Addresses, AreTheSameInAllProcesses) {
  const auto run = run_program(job(on_this_host(3), {"exchange"}));
  const auto addresses = fields(run.output, "code at ");
  ASSERT_EQ(addresses.size(), 3U) << run.output;
  if (run.output.find("addresses random") != std::string::npos) {
    GTEST_SKIP() << "this container does not allow personality(ADDR_NO_RANDOMIZE)";
  }
  EXPECT_THAT(addresses, testing::Each(addresses.front()));
}

TEST(Addresses, DoNotDependOnTheStackLimitOutside) {
  const auto usual = run_program(job(on_this_host(2), {"exchange"}));
  if (usual.output.find("addresses random") != std::string::npos) {
    GTEST_SKIP() << "this container does not allow personality(ADDR_NO_RANDOMIZE)";
  }
  const auto other =
      run_program({"sh", "-c", "ulimit -S -s 500000; exec " WEFT_BOOTSTRAP_JOB " --launch localhost:2 exchange"});
  EXPECT_EQ(fields(other.output, "code at "), fields(usual.output, "code at ")) << other.output;
}

struct Death {
  int who;
  const char* how;
  int number;
  const char* when;
  int code;
  const char* message;
};

void PrintTo(const Death& death, std::ostream* to) { *to << death.how << " " << death.number << " " << death.when; }

class Deaths : public testing::TestWithParam<Death> {};

TEST_P(Deaths, EndTheJobWithALineThatNamesThem) {
  const Death& death = GetParam();
  const auto run = run_program(
      job(on_this_host(3), {"die", std::to_string(death.who), death.how, std::to_string(death.number), death.when}));
  EXPECT_EQ(run.code, death.code) << run.output;
  EXPECT_THAT(run.output, MatchesRegex(death.message));
  EXPECT_LT(run.seconds, kSoon);
  EXPECT_THAT(run.left, IsEmpty());
}

constexpr const char* kExit =
    "weftrun: process 1 on host .* \\(ranks 4-7\\) ended with exit code 3 before the job's end\n";
constexpr const char* kEarly =
    "weftrun: process 1 on host .* \\(ranks 4-7\\) ended with exit code 0 before the job's end\n";
constexpr const char* kFault =
    "weftrun: process 2 on host .* \\(ranks 8-11\\) was killed by signal 11 \\(Segmentation fault\\)\n";
constexpr const char* kKilled = "weftrun: process 0 on host .* \\(ranks 0-3\\) was killed by signal 9 \\(Killed\\)\n";
constexpr const char* kTerminated =
    "weftrun: process 2 on host .* \\(ranks 8-11\\) was killed by signal 15 \\(Terminated\\)\n";

INSTANTIATE_TEST_SUITE_P(
    Moments, Deaths,
    testing::Values(Death{1, "exit", 3, "first", 3, kExit}, Death{1, "exit", 3, "fence", 3, kExit},
                    Death{1, "exit", 0, "run", 1, kEarly}, Death{2, "signal", SIGSEGV, "fence", 139, kFault},
                    Death{2, "signal", SIGSEGV, "deaf", 139, kFault}, Death{0, "signal", SIGKILL, "run", 137, kKilled},
                    Death{2, "signal", SIGTERM, "run", 143, kTerminated},
                    Death{0, "abort", 7, "first", 7, "process 0 aborts\n"},
                    Death{2, "abort", 9, "fence", 9, "process 2 aborts\n"},
                    Death{1, "abort", 0, "deaf", 0, "process 1 aborts\n"}),
    [](const auto& one) { return std::string(one.param.how) + std::to_string(one.param.number) + one.param.when; });

// Rank 0 reads the input and may move to any of these processes.
TEST(Launcher, GivesItsInputToAllProcessesOfItsHost) {
  for (const auto& [who, number] : {std::pair("first", 0), std::pair("last", 2)}) {
    const auto run = run_program(job(on_this_host(3), {"input", who}), "a\nb\nc\n");
    EXPECT_EQ(run.code, 0);
    EXPECT_THAT(run.output, HasSubstr("process " + std::to_string(number) + " read 3 lines"));
  }
}

class Stops : public testing::TestWithParam<int> {};
class GroupStops : public testing::TestWithParam<int> {};

TEST_P(Stops, EndEverything) {
  ProgramRun run(job(on_this_host(3), {"wait"}));
  ASSERT_TRUE(run.wait_for("waiting", 3));
  ::kill(run.pid(), GetParam());
  const auto outcome = run.finish();
  EXPECT_EQ(outcome.code, 128 + GetParam()) << outcome.output;
  EXPECT_THAT(outcome.output, Not(HasSubstr("weftrun:")));
  EXPECT_THAT(outcome.left, IsEmpty());
  EXPECT_LT(outcome.seconds, kSoon);
}

// The signal goes to the whole process group, as from a terminal.
TEST_P(GroupStops, EndEverything) {
  ProgramRun run(job(on_this_host(3), {"wait"}));
  ASSERT_TRUE(run.wait_for("waiting", 3));
  ::kill(-run.pid(), GetParam());
  const auto outcome = run.finish();
  EXPECT_EQ(outcome.code, 128 + GetParam()) << outcome.output;
  EXPECT_THAT(outcome.output, Not(HasSubstr("weftrun:")));
  EXPECT_THAT(outcome.left, IsEmpty());
}

// job(), started by a shell in which a signal is ignored.
std::vector<std::string> job_that_ignores(const std::string& signal, const std::string& scenario) {
  return {"sh", "-c", "trap '' " + signal + "; exec " WEFT_BOOTSTRAP_JOB " --launch localhost:2 " + scenario};
}

// nohup and background jobs of a shell ignore these signals. If SIGHUP were not ignored, it would act before SIGTERM.
TEST(Launcher, LeavesStopSignalsIgnored) {
  for (const auto& [name, signal] : {std::pair("HUP", SIGHUP), std::pair("INT", SIGINT), std::pair("QUIT", SIGQUIT)}) {
    ProgramRun run(job_that_ignores(name, "wait"));
    ASSERT_TRUE(run.wait_for("waiting", 2));
    ::kill(run.pid(), signal);
    ::kill(run.pid(), SIGTERM);
    EXPECT_EQ(run.finish().code, 128 + SIGTERM) << name;
  }
}

TEST(Launcher, HearsOfEndsWhereSigchldIsIgnored) {
  const auto run = run_program(job_that_ignores("CHLD", "exchange"));
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_LT(run.seconds, kSoon);
}

INSTANTIATE_TEST_SUITE_P(Signals, Stops, testing::Values(SIGINT, SIGTERM, SIGHUP, SIGKILL));
INSTANTIATE_TEST_SUITE_P(Signals, GroupStops, testing::Values(SIGINT, SIGTERM, SIGHUP));

// The files of /proc that show `text` to others: the environment and command line of every process.
std::vector<std::string> places_with(const std::string& text) {
  std::vector<std::string> found;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    for (const char* file : {"environ", "cmdline"}) {
      std::ifstream in(process.path() / file);
      const std::string all((std::istreambuf_iterator<char>(in)), {});
      if (all.find(text) != std::string::npos) {
        found.push_back(process.path() / file);
      }
    }
  }
  return found;
}

// An agent for tests: "other hosts" are other shells here, so that TCP and the secret are used.
class OtherHosts : public testing::Test {
 protected:
  // A shell script that is called with a host and a line.
  std::string agent(const std::string& body) {
    const auto path = testing::TempDir() + "weft-agent-" + std::to_string(::getpid());
    std::ofstream(path) << body;
    return "bash " + path;
  }
  ~OtherHosts() override { ::unlink((testing::TempDir() + "weft-agent-" + std::to_string(::getpid())).c_str()); }

  static std::vector<std::string> job_by(const std::string& agent, const std::string& hosts,
                                         const std::vector<std::string>& scenario) {
    auto command = job(hosts, scenario);
    command.insert(command.begin() + 1, {"--agent", agent});
    return command;
  }
};

TEST_F(OtherHosts, JoinTheJob) {
  const auto run = run_program(job_by(agent("exec sh -c \"$2\"\n"), "other-a,localhost:2,other-b", {"exchange"}));
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("process 3 of 4"));
  EXPECT_THAT(run.left, IsEmpty());
}

// sshd limits the connections of a user. The limit must suffice for one connection per host, not one per process.
TEST_F(OtherHosts, HaveOneAgentEach) {
  const auto run = run_program(
      job_by(agent("echo agent for $1; exec sh -c \"$2\"\n"), "other-a:3,localhost,other-b:2", {"exchange"}));
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("process 5 of 6"));
  EXPECT_EQ(fields(run.output, "agent for ").size(), 2U) << run.output;
}

// Rank 0 reads the input and may move to any process of the host.
TEST_F(OtherHosts, ReadTheInputWhereProcess0Is) {
  const auto shell = agent("exec sh -c \"$2\"\n");
  for (const auto& [who, number] : {std::pair("first", 0), std::pair("last", 2)}) {
    const auto run = run_program(job_by(shell, "other:3", {"input", who}), "a\nb\nc\n");
    EXPECT_EQ(run.code, 0);
    EXPECT_THAT(run.output, HasSubstr("process " + std::to_string(number) + " read 3 lines"));
  }
  const auto run = run_program(job_by(shell, "other,elsewhere", {"input", "last"}), "a\nb\nc\n");
  EXPECT_THAT(run.output, HasSubstr("process 1 read 0 lines"));
}

TEST_F(OtherHosts, GetUserSignalsForProcess0) {
  ProgramRun run(job_by(agent("exec sh -c \"$2\"\n"), "other,localhost", {"wait"}));
  ASSERT_TRUE(run.wait_for("waiting", 2));
  ::kill(run.pid(), SIGUSR1);
  const auto outcome = run.finish();
  EXPECT_EQ(outcome.code, 128 + SIGUSR1);
  EXPECT_THAT(outcome.output, HasSubstr("process 0 on host other was killed by signal 10"));
}

TEST_F(OtherHosts, AreNamedWhenTheirProcessDies) {
  const auto run =
      run_program(job_by(agent("exec sh -c \"$2\"\n"), "localhost,other:2", {"die", "2", "signal", "11", "run"}));
  EXPECT_EQ(run.code, 139);
  EXPECT_THAT(run.output, HasSubstr("process 2 on host other (ranks 8-11) was killed by signal 11"));
  EXPECT_THAT(run.left, IsEmpty());
  EXPECT_LT(run.seconds, kSoon);
}

TEST_F(OtherHosts, EndWithTheLauncher) {
  ProgramRun run(job_by(agent("exec sh -c \"$2\"\n"), "localhost,other:2", {"wait"}));
  ASSERT_TRUE(run.wait_for("waiting", 3));
  ::kill(run.pid(), SIGKILL);
  const auto outcome = run.finish();
  EXPECT_EQ(outcome.code, 137);
  EXPECT_THAT(outcome.left, IsEmpty());
}

TEST_F(OtherHosts, EndWithAnAgentThatIsKilled) {
  ProgramRun run(job_by(agent("echo agent $$ >&2; sh -c \"$2\" <&0 & wait\n"), "localhost,other", {"wait"}));
  ASSERT_TRUE(run.wait_for("waiting", 2));
  pid_t agent_pid = 0;
  ASSERT_EQ(std::sscanf(run.output().substr(run.output().find("agent ")).c_str(), "agent %d", &agent_pid), 1);
  ::kill(agent_pid, SIGKILL);
  const auto outcome = run.finish();
  EXPECT_EQ(outcome.code, 137) << outcome.output;
  EXPECT_THAT(outcome.output,
              testing::ContainsRegex("process 1 on host other is lost with its host: '.*' was killed by signal 9"));
  EXPECT_THAT(outcome.left, IsEmpty());
}

// The child has no connection of its own, but inherits that of the process.
TEST_F(OtherHosts, EndAlsoWhereAChildLivesOn) {
  const auto run = run_program(job_by(agent("exec sh -c \"$2\"\n"), "localhost,other", {"leaves_child"}));
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_LT(run.seconds, kSoon);
}

TEST_F(OtherHosts, EndWithTheirProxy) {
  ProgramRun run(job_by(agent("echo proxy $$ >&2; exec bash -c \"$2\"\n"), "localhost,other:2", {"wait"}));
  ASSERT_TRUE(run.wait_for("waiting", 3));
  pid_t shell = 0;
  ASSERT_EQ(std::sscanf(run.output().substr(run.output().find("proxy ")).c_str(), "proxy %d", &shell), 1);
  std::ifstream children("/proc/" + std::to_string(shell) + "/task/" + std::to_string(shell) + "/children");
  pid_t proxy = 0;
  ASSERT_TRUE(children >> proxy);
  ::kill(proxy, SIGKILL);
  const auto outcome = run.finish();
  EXPECT_EQ(outcome.code, 137) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("process 1 on host other is lost with its host: "));
  EXPECT_THAT(outcome.left, IsEmpty());
}

TEST_F(OtherHosts, AreNamedWhenTheyCannotBeReached) {
  const auto run = run_program(job_by(agent("echo no route to $1; exit 255\n"), "localhost,far-away", {"exchange"}));
  EXPECT_EQ(run.code, 255);
  EXPECT_THAT(run.output, HasSubstr("no route to far-away"));
  EXPECT_THAT(run.output, HasSubstr("process 1 on host far-away could not be started: "));
  EXPECT_THAT(run.left, IsEmpty());
}

// Three strangers connect to the port: one sends random bytes, one a wrong secret, one nothing.
TEST_F(OtherHosts, AreNotMistakenForStrangers) {
  const auto stranger = agent(R"(read -r line
port=${line#*:}; port=${port%%:*}
exec 7<>/dev/tcp/127.0.0.1/$port 8<>/dev/tcp/127.0.0.1/$port 9<>/dev/tcp/127.0.0.1/$port
head -c 100000 /dev/urandom >&7 2>/dev/null
printf '\0\0\0\0\1\0\0\0\0\0\0\0\4\0\0\0oops' >&8
{ echo "$line"; cat; } | sh -c "$2"
)");
  const auto run = run_program(job_by(stranger, "localhost,other", {"exchange"}));
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("process 1 of 2"));
  EXPECT_THAT(run.output, HasSubstr("weftrun: ended 2 connections of strangers to the launcher's port\n"));
}

// More silent strangers connect than the launcher has descriptors. The other host still connects.
TEST_F(OtherHosts, ComeInThroughAFlood) {
  const auto flood = agent(R"(read -r line
port=${line#*:}; port=${port%%:*}
ulimit -n 4096
for i in $(seq 1500); do
  exec {fd}<>/dev/tcp/127.0.0.1/$port || exit 9
done
{ echo "$line"; cat; } | sh -c "$2"
)");
  auto command = job_by(flood, "localhost,other", {"exchange"});
  command.insert(command.begin(), {"sh", "-c", "ulimit -S -n 300; exec \"$@\"", "sh"});
  const auto run = run_program(command);
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("process 1 of 2"));
  EXPECT_THAT(run.output, HasSubstr("connections of strangers to the launcher's port\n"));
}

// What other users can see of a process while it runs.
TEST_F(OtherHosts, FindNoSecretInEnvironmentOrCommandLine) {
  const auto tell = agent(R"(read -r line
secret=${line#*:*:}; echo "secret=${secret%%:*}"
{ echo "$line"; cat; } | sh -c "$2"
)");
  ProgramRun run(job_by(tell, "localhost,other", {"wait"}));
  ASSERT_TRUE(run.wait_for("waiting", 2));
  const auto secret = fields(run.output(), "secret=").at(0);
  ASSERT_EQ(secret.size(), 32U);
  EXPECT_THAT(places_with(secret), IsEmpty());
  ::kill(run.pid(), SIGTERM);
  EXPECT_EQ(run.finish().code, 128 + SIGTERM);
}

}  // namespace
}  // namespace weft::test
