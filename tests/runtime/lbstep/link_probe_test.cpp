// What messages between workers, processes and hosts cost, measured in a job's first step.
#include "runtime/lbstep/link_probe.hpp"

#include <mutex>

#include "lb/links.hpp"
#include "runtime/lbstep/balancing_step.hpp"
#include "tests/runtime/processes_fixture.hpp"

namespace weft::runtime {
namespace {

struct Case {
  std::string name;
  Shape shape;
  std::vector<std::uint32_t> hosts;
  std::vector<lb::Distance> found;  // what there are pairs of
};

void PrintTo(const Case& row, std::ostream* out) { *out << row.name; }

// For each rank, the links of the process where it is after the third step. A slow process may have no ranks left.
std::vector<lb::Links> links_of(const Case& row, const std::string& links) {
  std::mutex mutex;
  JobConfig config;
  config.ranks = 4 * row.shape.processes * row.shape.workers;
  std::vector<lb::Links> all(config.ranks);
  FunctionProgram program([&](Rank& start) {
    for (int step = 0; step < 3; ++step) {
      current_rank()->job.migrate(*current_rank());
    }
    const std::lock_guard lock(mutex);
    all[number(start.id)] = current_rank()->job.step().links();
    return number(start.id) > 100 ? 1 : 0;
  });
  config.hosts = row.hosts;
  config.lb_links = links;
  EXPECT_EQ(run_processes(row.shape, config, program), 0);
  return all;
}

bool same(const lb::Link& a, const lb::Link& b) {
  return a.seconds_per_message == b.seconds_per_message && a.seconds_per_byte == b.seconds_per_byte;
}

class LinkProbes : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Shapes, LinkProbes,
    testing::Values(Case{"one_process", {1, 2, "hwtopo"}, {0}, {lb::Distance::kSameNuma}},
                    Case{"one_worker", {1, 1, "hwtopo"}, {0}, {}},
                    Case{"one_host", {2, 2, "nuco"}, {0, 0}, {lb::Distance::kSameNuma, lb::Distance::kSameHost}},
                    Case{"two_hosts", {2, 1, "hwtopo", 3}, {0, 1}, {lb::Distance::kOtherHost}},
                    Case{"all",
                         {5, 2, "hwtopo", 2},
                         {0, 1, 1, 2, 2},
                         {lb::Distance::kSameNuma, lb::Distance::kSameHost, lb::Distance::kOtherHost}},
                    Case{"in_parts",
                         {4, 2, "hierarchical:hwtopo/refine", 2},
                         {0, 0, 1, 1},
                         {lb::Distance::kSameNuma, lb::Distance::kSameHost, lb::Distance::kOtherHost}}),
    [](const auto& row) { return row.param.name; });

TEST_P(LinkProbes, EveryProcessGetsTheSameNumbers) {
  const std::vector<lb::Links> all = links_of(GetParam(), "measured");
  for (std::size_t distance = 0; distance < lb::kDefaultLinks.size(); ++distance) {
    const lb::Link& first = all.front()[distance];
    for (const lb::Links& links : all) {
      EXPECT_TRUE(same(links[distance], first));
    }
    const auto& found = GetParam().found;
    const bool measured = std::find(found.begin(), found.end(), static_cast<lb::Distance>(distance)) != found.end();
    EXPECT_EQ(same(first, lb::kDefaultLinks[distance]), !measured) << "distance " << distance;
    EXPECT_GT(first.seconds_per_message, 0.0);
    EXPECT_LT(first.seconds_per_message, 1.0);
    EXPECT_GE(first.seconds_per_byte, 0.0);
    EXPECT_LT(first.seconds_per_byte, 1e-4);
  }
}

TEST_P(LinkProbes, AreLeftOutWhereNobodyAsks) {
  for (const lb::Links& links : links_of(GetParam(), "usual")) {
    EXPECT_EQ(lb::text_of(links), lb::text_of(lb::kDefaultLinks));
  }
  const std::string given = "0.1:0.2,0.3:0.4,0.5:0.6,0.7:0.8,0.9:1";
  for (const lb::Links& links : links_of(GetParam(), given)) {
    EXPECT_EQ(lb::text_of(links), given);
  }
  Case row = GetParam();
  row.shape.lb = "refine";
  for (const lb::Links& links : links_of(row, "measured")) {
    EXPECT_EQ(lb::text_of(links), lb::text_of(lb::kDefaultLinks));
  }
}

}  // namespace
}  // namespace weft::runtime
