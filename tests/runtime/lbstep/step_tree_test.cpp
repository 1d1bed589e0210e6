// Hierarchical balancing steps. They must give the result of one decider that has the loads of all ranks.
#include "runtime/lbstep/step_tree.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lb/decider.hpp"
#include "lb/loads.hpp"
#include "runtime/lbstep/balancing_step.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "tests/runtime/processes_fixture.hpp"

namespace weft::runtime {
namespace {

struct TreeCase {
  std::string name;
  std::uint32_t processes;
  std::uint32_t workers;  // of each
  std::vector<std::uint32_t> hosts;
  std::string lb;
  std::uint32_t ranks;
  std::uint32_t most_delay = 0;
  std::string model = "last";
  bool messages = false;
  bool crowded = false;  // at the first step all ranks ask for the last worker, so that most processes have none
  std::string when = "every";
};

void PrintTo(const TreeCase& row, std::ostream* out) { *out << row.name; }

// Load of a rank at a step. Most of the load is on the first processes, distributed differently at each step. Loads are
// either hours, so that a step's cost is negligible, or about as large as the messages' cost.
double load_of(const TreeCase& row, std::uint32_t rank, std::uint32_t step) {
  const std::uint32_t ranks = row.ranks;
  std::minstd_rand random(1 + rank + 1000 * step);
  std::lognormal_distribution<double> sizes(0.0, 1.0);
  (void)sizes(random);
  return (row.messages ? 3e-6 : 1e4) * sizes(random) * (rank < ranks / 4 ? 5.0 : 1.0) *
         (step % 3 == 2 && rank > ranks / 2 ? 9.0 : 1.0);
}

// The receiver of the rank's messages, and how many messages of 100 bytes it sends.
std::pair<std::uint32_t, std::uint32_t> receiver_of(std::uint32_t rank, std::uint32_t ranks) {
  return {(rank * 7 + 3) % ranks, 1 + rank % 3};
}

void exchange(Rank& me, std::uint32_t ranks) {
  std::byte data[100] = {};
  const std::uint32_t mine = number(me.id);
  const auto [to, count] = receiver_of(mine, ranks);
  std::vector<Request> requests(count + 3 * ranks);
  std::size_t used = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Request& request = requests[used++];
    request.prepare_send(me, {.context = 1, .source = static_cast<int>(mine), .tag = 7}, static_cast<int>(to),
                         {data, sizeof data});
    start_send(me.job.rank(to), SendMode::standard, request);
  }
  for (std::uint32_t from = 0; from < ranks; ++from) {
    const auto [its, messages] = receiver_of(from, ranks);
    for (std::uint32_t i = 0; its == mine && i < messages; ++i) {
      start_receive(me, {.context = 1, .source = static_cast<int>(from), .tag = 7}, {data, sizeof data},
                    requests[used++]);
    }
  }
  for (std::size_t i = 0; i < used; ++i) {
    wait(me, requests[i]);
  }
}

class StepTrees : public testing::TestWithParam<TreeCase> {
 protected:
  static constexpr std::uint32_t kSteps = 6;

  using Homes = std::vector<std::vector<std::atomic<std::uint32_t>>>;  // by step and rank

  // A job of several processes against a decider that is given the loads of all ranks.
  void run(const TreeCase& row) {
    Homes homes;
    for (std::uint32_t step = 0; step < kSteps; ++step) {
      homes.emplace_back(row.ranks);
    }
    lb::Links links = lb::kDefaultLinks;
    const std::string page = run_job(row, homes, links);
    lb::Decider decider({.strategy = row.lb, .when = row.when, .model = row.model, .links = links});
    lb::Instance job = first_instance(row);
    const lb::Plan first = lb::homes_of(job);
    std::uint64_t crossings = 0;
    std::uint64_t next_call = decider.next_call();
    for (std::uint32_t step = 0; step < kSteps; ++step) {
      if (step + 1 < next_call) {  // no step at this call
        expect_homes(homes[step], lb::homes_of(job), step);
        continue;
      }
      for (std::uint32_t r = 0; r < row.ranks; ++r) {
        job.ranks[r].seconds = load_of(row, r, step);
      }
      const lb::Decision decision = decide(row, decider, job, step);
      next_call = decider.next_call();  // told with the plan
      decider.record_cost(1e-3);
      expect_homes(homes[step], decision.homes, step);
      const std::string said = said_of(job, decider.predicted(), decision, first);
      EXPECT_NE(page.find(said), std::string::npos) << "step " << step << ": " << said;
      crossings += decision.crossings;
      for (std::uint32_t r = 0; r < row.ranks; ++r) {
        job.ranks[r].home = decision.homes[r];
      }
    }
    EXPECT_TRUE(crossings > 0 || row.ranks < row.workers * row.processes) << "nothing was shown";
  }

  // Records the ranks' homes after each step and the cost of messages; returns the report page.
  static std::string run_job(const TreeCase& row, Homes& homes, lb::Links& links) {
    FunctionProgram program([&](Rank& start) {
      for (std::uint32_t step = 0; step < kSteps; ++step) {
        Rank& me = *current_rank();
        if (row.messages) {
          exchange(me, row.ranks);
        }
        if (row.crowded && step == 0) {
          me.wanted_worker = row.processes * row.workers - 1;
        }
        me.load.declare(load_of(row, number(me.id), step));
        me.job.migrate(me);
        Rank& now = *current_rank();
        homes[step][number(now.id)] = now.job.global_number(*now.worker.load());
      }
      if (number(current_rank()->id) == 0) {
        links = current_rank()->job.step().links();
      }
      return number(start.id) == 0 && start.job.process_count() == 0 ? 1 : 0;
    });
    JobConfig config;
    config.ranks = row.ranks;
    config.hosts = row.hosts;
    config.lb_model = row.model;
    config.lb_when = row.when;
    config.lb_report = testing::TempDir() + "step_tree_" + row.name + std::to_string(::getpid()) + ".html";
    EXPECT_EQ(run_processes({row.processes, row.workers, row.lb, row.most_delay}, config, program), 0);
    std::stringstream page;
    page << std::ifstream(config.lb_report).rdbuf();
    std::filesystem::remove(config.lb_report);
    return page.str();
  }

  static lb::Decision decide(const TreeCase& row, lb::Decider& decider, const lb::Instance& job, std::uint32_t step) {
    lb::Observation observed(job.ranks.size(), job.workers.size());
    observed.call = step + 1;
    observed.measured = job;
    if (row.crowded && step == 0) {
      std::ranges::fill(observed.wanted, row.processes * row.workers - 1);
    }
    decider.observe(std::move(observed));
    return decider.decide();
  }

  static void expect_homes(const Homes::value_type& homes, const lb::Plan& plan, std::uint32_t step) {
    for (std::uint32_t r = 0; r < plan.size(); ++r) {
      ASSERT_EQ(homes[r].load(), number(plan[r])) << "rank " << r << " at step " << step;
    }
  }

  // The part of the report page that describes the decision.
  static std::string said_of(const lb::Instance& measured, const lb::Instance& predicted, const lb::Decision& decision,
                             const lb::Plan& first) {
    const std::vector<double> loads = lb::worker_seconds(measured, lb::homes_of(measured));
    return fmt::format(R"("longest":{:.6g},"mean":{:.6g},"planned":{:.6g},"unmoved":{:.6g},"moves":{},"crossings":{},)",
                       *std::max_element(loads.begin(), loads.end()),
                       std::accumulate(loads.begin(), loads.end(), 0.0) / static_cast<double>(loads.size()),
                       lb::longest_seconds(predicted, decision.homes), lb::longest_seconds(measured, first),
                       decision.moves.ranks, decision.crossings);
  }

  static lb::Instance first_instance(const TreeCase& row) {
    lb::Instance job;
    const std::uint32_t workers = row.processes * row.workers;
    for (std::uint32_t w = 0; w < workers; ++w) {
      const std::uint32_t host = row.hosts[w / row.workers];
      job.workers.push_back({.place = {.numa = host << 16U, .process = w / row.workers, .host = host}});
    }
    for (std::uint32_t r = 0, w = 0; r < row.ranks; ++r) {
      while (std::uint64_t{w + 1} * row.ranks / workers <= r) {
        ++w;
      }
      job.ranks.push_back({.rank = RankId{r}, .home = WorkerId{w}});
      if (row.messages) {
        const auto [to, count] = receiver_of(r, row.ranks);
        job.edges.push_back({.from = r, .to = to, .messages = count, .bytes = std::uint64_t{100} * count});
      }
    }
    return job;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Jobs, StepTrees,
    testing::Values(
        TreeCase{"two_processes", 2, 2, {0, 0}, "hierarchical", 24},
        TreeCase{"two_hosts", 2, 1, {0, 1}, "hierarchical", 12},
        TreeCase{"three_hosts", 6, 2, {0, 0, 1, 1, 1, 2}, "hierarchical:greedy/refine-bisect", 60},
        TreeCase{"delayed", 5, 1, {0, 1, 1, 0, 2}, "hierarchical", 30, 5},
        TreeCase{"many_ranks", 3, 1, {0, 1, 1}, "hierarchical", 900},
        TreeCase{"idle_processes", 4, 1, {0, 0, 1, 1}, "hierarchical:refine/greedy", 3},
        TreeCase{"crowded", 4, 2, {0, 0, 1, 1}, "hierarchical", 24, 0, "last", false, true},
        TreeCase{
            "crowded_last_host", 5, 1, {0, 1, 1, 2, 2}, "hierarchical:greedy/greedy", 24, 3, "trend:3", false, true},
        TreeCase{"crowded_messages", 3, 2, {0, 1, 1}, "hierarchical:hwtopo/nuco", 24, 0, "last", true, true},
        TreeCase{"rotating", 4, 2, {0, 0, 1, 1}, "hierarchical:rotate/rotate", 16},
        TreeCase{"modelled", 4, 1, {0, 0, 1, 1}, "hierarchical", 40, 0, "mean:0.3"},
        TreeCase{"trend", 4, 1, {0, 0, 1, 1}, "hierarchical", 40, 2, "trend:4"},
        TreeCase{"auto", 4, 2, {0, 0, 1, 1}, "hierarchical", 40, 0, "mean:0.5", false, false, "auto:0.3"},
        TreeCase{"messages", 4, 2, {0, 0, 1, 1}, "hierarchical:hwtopo/refine", 32, 0, "last", true},
        TreeCase{"messages_delayed", 3, 2, {0, 1, 1}, "hierarchical:nuco/hwtopo", 24, 4, "last", true}),
    [](const auto& row) { return row.param.name; });

TEST_P(StepTrees, DecideAsADeciderDoesForTheWholeJob) { run(GetParam()); }

// The second process has 1500 ranks. One message per rank to process 0 would need far more bytes than these limits.
TEST(StepTree, TellsSumsAndNotRanks) {
  std::array<std::atomic<std::uint64_t>, 2> sent{};
  FunctionProgram program([&](Rank& me) {
    me.load.declare(1.0 + number(me.id) % 7);
    me.job.migrate(me);
    sent[number(me.job.process())] = me.job.step().tree()->bytes_sent();
    return 0;
  });
  JobConfig config;
  config.ranks = 3000;
  config.stack_bytes = std::size_t{64} << 10;
  ASSERT_EQ(run_processes({2, 1, "hierarchical"}, config, program), 0);
  EXPECT_GT(sent[1], 4000U);
  EXPECT_LT(sent[1], 10000U);
  EXPECT_LT(sent[0], 2000U);
}

TEST(StepTree, IsOnlyForStrategiesInParts) {
  FunctionProgram program([&](Rank& me) { return me.job.step().tree() == nullptr ? 0 : 1; });
  JobConfig config;
  config.ranks = 4;
  EXPECT_EQ(run_processes({2, 1, "refine"}, config, program), 0);
  EXPECT_EQ(run_processes({1, 2, "hierarchical"}, config, program), 0);
}

}  // namespace
}  // namespace weft::runtime
