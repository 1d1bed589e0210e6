// With which processes a job continues, and which ranks change process.
#include "runtime/placement/process_changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace weft::placement {
namespace {

using testing::ElementsAre;

// "a b b": process 0 on host a, the others on b.
NextProcesses on_hosts(const std::vector<std::string>& hosts) {
  NextProcesses processes;
  for (const std::string& host : hosts) {
    processes.push_back({.host = host, .workers = 2, .before = static_cast<std::uint32_t>(processes.size())});
  }
  return processes;
}

std::string text(const NextProcesses& processes) {
  std::string text;
  for (const auto& process : processes) {
    text += (text.empty() ? "" : " ") + process.host + (process.before ? std::to_string(*process.before) : "+");
    EXPECT_EQ(process.workers, 2U);
  }
  return text;
}

TEST(WithCount, TakesFromHostsWithTheMostAndGivesToThoseWithTheFewest) {
  const NextProcesses now = on_hosts({"a", "a", "b", "b", "b", "c"});
  EXPECT_EQ(text(with_count(now, 6)), "a0 a1 b2 b3 b4 c5");
  EXPECT_EQ(text(with_count(now, 5)), "a0 a1 b2 b3 c5");
  EXPECT_EQ(text(with_count(now, 3)), "a0 b2 c5");
  EXPECT_EQ(text(with_count(now, 1)), "a0");
  EXPECT_EQ(text(with_count(now, 8)), "a0 a1 b2 b3 b4 c5 c+ a+");
  EXPECT_EQ(text(with_count(on_hosts({"a"}), 3)), "a0 a+ a+");
}

TEST(WithMore, TheHostMayBeANewOne) {
  EXPECT_EQ(text(with_more(on_hosts({"a", "b"}), "a", 1)), "a0 b1 a+");
  EXPECT_EQ(text(with_more(on_hosts({"a", "b"}), "c", 2)), "a0 b1 c+ c+");
}

TEST(Without, AHostOrSomeProcesses) {
  const NextProcesses now = on_hosts({"a", "b", "a", "c"});
  EXPECT_EQ(text(without_host(now, "a")), "b1 c3");
  EXPECT_EQ(text(without_host(now, "d")), "a0 b1 a2 c3");
  EXPECT_EQ(text(without_host(on_hosts({"a", "a"}), "a")), "");
  EXPECT_EQ(text(without_processes(now, {0, 3})), "b1 a2");
}

TEST(NextProcesses, ComeThroughAsText) {
  const NextProcesses processes{{.host = "a", .workers = 3, .before = 7},
                                {.host = "fe80::1", .workers = 1, .before = {}}};
  EXPECT_EQ(bootstrap::to_text(processes), "3:7:a,1::fe80::1");
  EXPECT_EQ(bootstrap::parse_next_processes("3:7:a,1::fe80::1"), processes);
  EXPECT_THROW(bootstrap::parse_next_processes("a:b"), std::runtime_error);
}

JobShape shape_of(std::vector<std::uint32_t> workers) { return {.workers = std::move(workers), .hosts = {}}; }

TEST(EvenedOut, OnlySurplusRanksChangeTheirProcess) {
  EXPECT_THAT(evened_out({0, 0, 1, 1}, shape_of({1, 1})), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(evened_out({0, 0, 1, 1}, shape_of({1, 1, 2})), ElementsAre(0, 2, 1, 2));
  EXPECT_THAT(evened_out({0, 0, 0, 0, 1, 1}, shape_of({1, 1})), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(evened_out({1, 1, 0, 1, 0}, shape_of({1, 1})), ElementsAre(1, 1, 0, 1, 0)) << "the odd one stays";
  EXPECT_THAT(evened_out({0, 0, 0}, shape_of({1, 1, 1, 1})), ElementsAre(0, 1, 2));
}

TEST(EvenedOut, EveryProcessHasItsPartAndAsFewChangeAsPossible) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  for (int round = 0; round < 500; ++round) {
    std::vector<std::uint32_t> workers(1 + below(6));
    std::uint32_t total = 0;
    for (auto& its : workers) {
      total += its = 1 + below(3);
    }
    std::vector<std::uint32_t> before(below(40));
    for (auto& process : before) {
      process = below(static_cast<std::uint32_t>(workers.size()));
    }
    const auto after = evened_out(before, shape_of(workers));
    std::uint32_t surplus = 0;
    std::uint32_t changes = 0;
    for (std::uint32_t p = 0; p < workers.size(); ++p) {
      const auto had = static_cast<std::uint32_t>(std::ranges::count(before, p));
      const auto has = static_cast<std::uint32_t>(std::ranges::count(after, p));
      const auto part = static_cast<std::uint32_t>(before.size() * workers[p] / total);
      EXPECT_THAT(has, testing::AnyOf(part, part + 1));
      surplus += had - std::min(had, has);
    }
    for (std::size_t r = 0; r < before.size(); ++r) {
      changes += before[r] != after[r] ? 1 : 0;
    }
    EXPECT_EQ(changes, surplus) << "no two ranks change places";
  }
}

}  // namespace
}  // namespace weft::placement
