#include "runtime/meter/energy.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("weft-energy-" + std::to_string(::getpid()))) {}
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const std::string& name, std::uint64_t value) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << value << '\n';
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

TEST(Energy, CountsPackagesAndGoesRound) {
  const Folder folder;
  for (const std::string package : {"intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0"}) {
    folder.write(package + "/energy_uj", 9'000'000);
    folder.write(package + "/max_energy_range_uj", 10'000'000);
  }
  EnergyCounters counters(folder.path());
  ASSERT_TRUE(counters.readable());
  EXPECT_DOUBLE_EQ(counters.joules(), 0);
  folder.write("intel-rapl:0/energy_uj", 9'500'000);
  folder.write("intel-rapl:0:0/energy_uj", 9'400'000);  // a part of the first
  folder.write("intel-rapl:1/energy_uj", 1'000'000);
  EXPECT_DOUBLE_EQ(counters.joules(), 0.5 + 2);
  EXPECT_DOUBLE_EQ(counters.joules(), 0.5 + 2);
}

TEST(Energy, WithoutCountersThereIsTheModel) {
  const Folder folder;
  EXPECT_FALSE(EnergyCounters(folder.path()).readable());
  EXPECT_DOUBLE_EQ(modelled_joules(10, 0, 4), 400);
  EXPECT_DOUBLE_EQ(modelled_joules(10, 40, 4), 1070);
  EXPECT_DOUBLE_EQ(modelled_joules(10, 20, 4), 735);
  EXPECT_DOUBLE_EQ(modelled_joules(0, 0, 4), 0);
}

}  // namespace
}  // namespace weft::runtime
