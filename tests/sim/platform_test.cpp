#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "sim/network.hpp"
#include "sim/platform_file.hpp"

namespace weft::sim::test {
namespace {

std::string example() {
  std::ifstream in(WEFT_EXAMPLE_PLATFORM);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string mistakes_in(const std::string& text) {
  try {
    parse_platform(text, "p.json");
  } catch (const PlatformError& error) {
    return error.what();
  }
  return "";
}

// The example with something else in one place.
std::string mistakes_with(const std::string& before, const std::string& after) {
  std::string text = example();
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before;
  return mistakes_in(text.replace(at, before.size(), after));
}

TEST(PlatformFile, TheExampleIsRead) {
  const Platform platform = read_platform(WEFT_EXAMPLE_PLATFORM);
  EXPECT_EQ(platform.hosts, (std::vector<std::string>{"thin0", "thin1", "fat", "old"}));
  EXPECT_EQ(platform.sites, (std::vector<std::string>{"hall", "attic"}));
  ASSERT_EQ(platform.workers.size(), 18U);
  EXPECT_EQ(platform.processes, 5U);
  EXPECT_EQ(platform.workers[7].host, 1U);
  EXPECT_EQ(platform.workers[11].process, 2U);
  EXPECT_EQ(platform.workers[12].process, 3U);
  EXPECT_EQ(platform.workers[12].numa, 3U);
  EXPECT_EQ(platform.workers[12].speed, 1.5);
  EXPECT_EQ(platform.workers[17].site, 1U);
  EXPECT_EQ(platform.eager_limit, 16384U);
  EXPECT_DOUBLE_EQ(platform.step_cost, 20e-6);
  EXPECT_DOUBLE_EQ(platform.within_site[0].latency, 20e-6);
  EXPECT_DOUBLE_EQ(platform.within_site[0].per_byte, 0.8e-9);
  EXPECT_DOUBLE_EQ(platform.trunks[0].cost.per_byte, 8e-9);
  EXPECT_DOUBLE_EQ(platform.near[2].copy_per_byte, 0.1e-9);
  ASSERT_EQ(platform.cold_caches.size(), 2U);
  EXPECT_DOUBLE_EQ(platform.cold_caches[0].computing, 10e-6);
  EXPECT_DOUBLE_EQ(platform.cold_caches[0].switching, 0.05e-6);
  EXPECT_DOUBLE_EQ(platform.cold_caches[1].message, 1e-6);
  EXPECT_DOUBLE_EQ(platform.cold_caches[1].copy_per_byte, 0.125e-9);
}

TEST(PlatformFile, HogsAndQuotasAreSharesOfCores) {
  const Platform platform = read_platform(WEFT_EXAMPLE_PLATFORM);
  const std::vector<ShareStep> hog = platform.shares_of(6);  // thin1's third core
  ASSERT_EQ(hog.size(), 2U);
  EXPECT_EQ(hog[0], (ShareStep{.from = 10, .share = 0.5, .period = 0.008, .others = true}));
  EXPECT_EQ(hog[1], (ShareStep{.from = 20}));
  for (const std::uint32_t worker : {16U, 17U}) {
    ASSERT_EQ(platform.shares_of(worker).size(), 1U);
    EXPECT_EQ(platform.shares_of(worker)[0], (ShareStep{.from = 5, .share = 0.5, .period = 0.02, .is_quota = true}));
  }
  EXPECT_TRUE(platform.shares_of(5).empty());
}

TEST(PlatformFile, LinksAreThoseOfTheNearestPlaceInCommon) {
  const Platform platform = read_platform(WEFT_EXAMPLE_PLATFORM);
  const Network network(platform);
  const auto latency = [&](std::size_t a, std::size_t b) {
    return network.between(platform.workers[a], platform.workers[b]).latency;
  };
  EXPECT_DOUBLE_EQ(latency(0, 1), 0.1e-6);
  EXPECT_DOUBLE_EQ(latency(8, 12), 0.5e-6);  // another process of the host
  EXPECT_DOUBLE_EQ(latency(0, 4), 20e-6);
  EXPECT_DOUBLE_EQ(latency(0, 17), 200e-6);
  EXPECT_DOUBLE_EQ(latency(17, 0), 200e-6);
}

TEST(PlatformFile, EachMistakeIsALineThatNamesItsPlace) {
  EXPECT_EQ(mistakes_with("\"cores\": 4}", "\"cores\": 4, \"kores\": 4}"),
            "p.json: sites[0].hosts[0].kores: no such key here; there are cores, count, name, numa_nodes, processes, "
            "speed");
  EXPECT_EQ(mistakes_with("\"latency_us\": 20,", "\"latency_us\": \"20 us\","),
            "p.json: sites[0].link.latency_us: expected a number from 0 to 1e+18, found \"20 us\"");
  EXPECT_EQ(mistakes_with("\"speed\": 0.5", "\"speed\": -1"),
            "p.json: sites[1].hosts[0].speed: expected a number from 1e-06 to 1000000, found -1");
  EXPECT_EQ(mistakes_with("\"overhead_us\": 1, \"latency_us\": 200, ", ""),
            "p.json: trunks[0].link.overhead_us: is missing\np.json: trunks[0].link.latency_us: is missing");
  EXPECT_EQ(mistakes_with("thin1", "thin9"), "p.json: hogs[0].host: there is no host thin9");
  EXPECT_EQ(mistakes_with("\"core\": 2", "\"core\": 4"),
            "p.json: hogs[0].core: expected a number from 0 to 3, found 4");
  EXPECT_EQ(mistakes_with("\"until_s\": 20", "\"until_s\": 9"),
            "p.json: hogs[0].until_s: expected a number from 10 to 1e+18, found 9");
  EXPECT_EQ(mistakes_with("[\"hall\", \"attic\"]", "[\"hall\", \"cellar\"]"),
            "p.json: trunks[0].between: there is no site cellar");
  EXPECT_EQ(mistakes_with("\"fat\"", "\"thin0\""), "p.json: sites[0].hosts[1].name: there are two hosts thin0");
  EXPECT_EQ(mistakes_with("\"computing_us\": 1000", "\"computing_us\": 10"),
            "p.json: cold_caches[1].computing_us: expected more than 10, as it rises from one to the next");
  EXPECT_EQ(mistakes_with("\"computing_us\": 10,", "\"computing_us\": 0,"),
            "p.json: cold_caches[0].computing_us: expected more than 0, as it rises from one to the next");
  EXPECT_EQ(mistakes_with("\"computing_us\": 10, ", ""), "p.json: cold_caches[0].computing_us: is missing");
  EXPECT_EQ(mistakes_with("\"weft_platform\": 1", "\"weft_platform\": 2"),
            "p.json: weft_platform: expected a whole number from 1 to 1, found 2");
}

TEST(PlatformFile, WhatIsNoPlatformIsRefused) {
  EXPECT_THAT(mistakes_in("{\"weft_platform\": 1"), testing::StartsWith("p.json: "));
  EXPECT_THAT(mistakes_in("[]"), testing::StartsWith("p.json: expected an object, found []"));
  EXPECT_EQ(mistakes_in("{\"weft_platform\": 1}"), "p.json: sites: is missing");
  EXPECT_EQ(mistakes_in("{\"weft_platform\": 1, \"sites\": []}"), "p.json: sites: there is no core");
  EXPECT_EQ(mistakes_in(R"({"weft_platform": 1, "sites": [{"name": "a", "hosts": [{"name": "x"}]},
                           {"name": "b", "hosts": [{"name": "y"}]}]})"),
            "p.json: trunks: expected one between a and b");
  EXPECT_THROW(read_platform("/nowhere/p.json"), PlatformError);
}

}  // namespace
}  // namespace weft::sim::test
