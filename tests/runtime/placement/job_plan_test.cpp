#include "runtime/placement/job_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/placement/hosts_text.hpp"

namespace weft::placement {
namespace {

// "a:2 a:1 b:3", a word for each process.
std::string planned(const std::vector<std::string>& hosts, const PlanRequest& request = {}) {
  const JobPlan plan = plan_job(parse_host_list(hosts), request);
  std::string text;
  for (const ProcessPlace& process : plan.processes) {
    text += (text.empty() ? "" : " ") + plan.hosts[process.host] + ":" + std::to_string(process.workers);
  }
  return text;
}

TEST(JobPlan, HasAProcessOnEachHostWithItsSlotsAsWorkers) {
  EXPECT_EQ(planned({"a:2", "b:3"}), "a:2 b:3");
  EXPECT_EQ(planned({"a", "b:3"}), "a:0 b:3");
}

TEST(JobPlan, SharesSlotsAmongProcesses) {
  EXPECT_EQ(planned({"a:3", "b:2"}, {.processes = 4, .slots = {}, .most_hosts = {}}), "a:2 a:1 b:1 b:1");
  EXPECT_EQ(planned({"a", "b"}, {.processes = 3, .slots = {}, .most_hosts = {}}), "a:0 a:0 b:0");
  EXPECT_THAT(test::error_of([] {
                planned({"a", "b"}, {.processes = 1, .slots = {}, .most_hosts = {}});
              }),
              testing::HasSubstr("--processes 1 is less than the 2 hosts"));
  EXPECT_THAT(test::error_of([] {
                planned({"a:1", "b:4"}, {.processes = 4, .slots = {}, .most_hosts = {}});
              }),
              testing::HasSubstr("is 2 on host a, which has 1 slots"));
}

TEST(JobPlan, LeavesOutWhatIsNotNeeded) {
  EXPECT_EQ(planned({"a:2", "b:2", "c:2"}, {.processes = {}, .slots = 3, .most_hosts = {}}), "a:2 b:1");
  EXPECT_EQ(planned({"a:2", "b:2"}, {.processes = {}, .slots = 9, .most_hosts = {}}), "a:2 b:2");
  EXPECT_EQ(planned({"a", "b", "c"}, {.processes = {}, .slots = 2, .most_hosts = 2}), "a:0 b:0");
}

TEST(JobPlan, GoesToProcessesAsAText) {
  for (const std::vector<ProcessPlace>& places :
       std::vector<std::vector<ProcessPlace>>{{},
                                              {{0, 2}},
                                              {{0, 2}, {1, 2}, {2, 2}, {3, 1}},
                                              {{0, 1}, {0, 1}, {1, 0}, {0, 1}},
                                              {{0, 2}, {0, 1}, {1, 1}}}) {
    EXPECT_EQ(parse_places(to_text(places)), places) << to_text(places);
  }
  EXPECT_LT(to_text(std::vector<ProcessPlace>(65536)).size(), 20U);
  for (const char* const wrong : {"x", "0", "0:", "0*:1", "0*2", "0/2:1", "0:1x", "0*99999999:1"}) {
    EXPECT_THAT(test::error_of([&] { parse_places(wrong); }), testing::HasSubstr("WEFT_PLACES")) << wrong;
  }
}

TEST(JobPlan, NumbersHostsByName) {
  const JobPlan plan = plan_of_hosts({"a", "a", "b", "a"});
  EXPECT_THAT(plan.hosts, testing::ElementsAre("a", "b"));
  EXPECT_EQ(to_text(plan.processes), "0*2:0,1:0,0:0");
}

}  // namespace
}  // namespace weft::placement
