// What a run takes and what there is: the sums, control groups, limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "alone.hpp"
#include "parallel/available_memory.hpp"
#include "physics/footprint.hpp"

namespace ondes3d {
namespace {

using testing::HasSubstr;

AvailableMemory room(const char* host, long long process, double on_host, double in_process = INFINITY) {
  AvailableMemory room{{}, process, on_host, in_process};
  std::string(host).copy(room.host.data(), room.host.size() - 1);
  return room;
}

TEST(Shortage, IsNoneWhereAllRanksFit) {
  EXPECT_EQ(shortage({room("a", 1, 5e9), room("a", 2, 5e9), room("b", 1, 2e9)}, {2e9, 2e9, 2e9}, {100, 100, 100}), "");
}

TEST(Shortage, CountsTheRanksOfAHostTogether) {
  const std::string said =
      shortage({room("a", 1, 5e9), room("a", 2, 4e9), room("b", 1, 2e9)}, {16e9, 16e9, 2e9}, {100, 200, 300});
  EXPECT_EQ(
      said,
      "a grid of 100 x 200 x 300 cells, CPML included, takes 32 GB on a, which has 4 GB free: about 50 x 100 x 150 "
      "would fit; take larger cells (<ds>) or more machines");
}

TEST(Shortage, CountsTheRanksOfAProcessTogether) {
  const std::vector<AvailableMemory> available{room("a", 1, 9e9, 3e9), room("a", 1, 9e9, 3e9), room("a", 2, 9e9, 3e9)};
  EXPECT_EQ(shortage(available, {1e9, 1e9, 2e9}, {10, 10, 10}), "");
  EXPECT_THAT(shortage(available, {2e9, 2e9, 2e9}, {10, 10, 10}),
              HasSubstr("takes 4 GB in a process on a, whose limits (ulimit -d, -v) leave 3 GB"));
}

class Groups : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text << "\n";
  }
  [[nodiscard]] double room() const { return memory_left_in_groups((folder_ / "cgroup").string(), folder_.string()); }
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / ("groups-" + std::to_string(getpid()));
};

TEST_F(Groups, OfTheSecondVersionLimitWithThoseAround) {
  write("cgroup", "0::/job/step");
  EXPECT_TRUE(std::isinf(room())) << "no files";
  write("job/memory.max", "1000");
  write("job/memory.current", "700");
  write("job/memory.stat", "anon 600\ninactive_file 50\n");
  write("job/step/memory.max", "max");
  write("job/step/memory.current", "600");
  EXPECT_EQ(room(), 350) << "pages of files that nobody uses are free";
  write("memory.max", "900");
  write("memory.current", "800");
  EXPECT_EQ(room(), 100);
}

TEST_F(Groups, OfTheFirstVersionAreFoundByTheirController) {
  write("cgroup", "5:cpu,cpuacct:/other\n4:memory:/job");
  write("memory/job/memory.limit_in_bytes", "5000");
  write("memory/job/memory.usage_in_bytes", "1000");
  write("memory/job/memory.stat", "total_inactive_file 10\n");
  EXPECT_EQ(room(), 4010);
}

TEST(AvailableMemory, IsWhatTheLimitsOfTheProcessLeave) {
  const AvailableMemory before = available_memory_here("here", false);
  EXPECT_STREQ(before.host.data(), "here");
  EXPECT_GT(before.on_host, 1e6);
  struct rlimit old {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  const struct rlimit tight {
    rlim_t{1} << 50, old.rlim_max
  };
  if (setrlimit(RLIMIT_AS, &tight) != 0) {
    GTEST_SKIP() << "a lower limit is set already";
  }
  const double left = available_memory_here("here", false).in_process;
  const double in_slots = available_memory_here("here", true).in_process;
  setrlimit(RLIMIT_AS, &old);
  EXPECT_LT(left, std::pow(2.0, 50));
  EXPECT_GT(left, 0);
  EXPECT_EQ(in_slots, before.in_process) << "of address space that is reserved already";
}

template <typename Real>
double taken(const Model& model) {
  const Subdomain<Real> domain(model, model.grid.box(), {});
  double bytes = static_cast<double>(9 * domain.state().layout.values * sizeof(Real) + domain.attenuation().bytes());
  for (const Slab<Real>& slab : make_slabs<Real>(model.grid, model.grid.box(), 6000, model.cpml)) {
    for (const auto& psi : slab.psi) {
      bytes += static_cast<double>(psi.size() * sizeof(Real));
    }
  }
  return bytes;
}

TEST(Footprint, IsWhatASubdomainTakes) {
  Layers lossy = kRock;
  lossy[0].qp = 100;
  lossy[0].qs = 50;
  for (const Layers& layers : {kRock, lossy}) {
    const Model model = model_of({40, 30, 20}, 100, 0.005, 6, layers);
    const double single = footprint(model, model.grid.box(), sizeof(float));
    EXPECT_NEAR(single / taken<float>(model), 1, 0.02);
    EXPECT_NEAR(footprint(model, model.grid.box(), sizeof(double)) / taken<double>(model), 1, 0.02);
    EXPECT_GE(single, 36.0 * static_cast<double>(model.grid.box().volume()));
  }
}

}  // namespace
}  // namespace ondes3d
