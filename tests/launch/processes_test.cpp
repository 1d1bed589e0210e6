// Connects two processes of a job, which are threads of this process. The launcher is a map.
#include "launch/processes.hpp"

#include <atomic>
#include <barrier>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace weft::launch {
namespace {

constexpr std::uint32_t kCount = 2;

struct FakeLauncher {
  std::mutex mutex;
  std::map<std::pair<std::uint32_t, std::string>, std::string> values;  // by process and key
  std::barrier<> barrier{kCount};
  std::atomic<bool> has_process_1_ended = false;  // process 1 is destroyed, with its memory
};

class FakeBootstrap : public bootstrap::Bootstrap {
 public:
  FakeBootstrap(FakeLauncher& launcher, std::uint32_t process) : launcher_(launcher), process_(process) {}

  ProcessId process() const override { return ProcessId{process_}; }
  std::uint32_t processes() const override { return kCount; }
  void put(std::string_view key, std::string_view value) override {
    const std::lock_guard lock(launcher_.mutex);
    launcher_.values[{process_, std::string(key)}] = value;
  }
  void fence() override { launcher_.barrier.arrive_and_wait(); }
  std::vector<std::string> get_all(std::string_view key) override {
    std::vector<std::string> values = Bootstrap::get_all(key);
    questions_ -= kCount - 1;
    return values;
  }
  // Process 0 waits before it asks for the address of process 1's memory: process 1 could have ended by then.
  std::string get(ProcessId of, std::string_view key) override {
    for (int i = 0; process_ == 0 && key == "weft-memory" && i < 300 && !launcher_.has_process_1_ended; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ++questions_;
    const std::lock_guard lock(launcher_.mutex);
    return launcher_.values.at({number(of), std::string(key)});
  }
  void finish() override {}
  void abort(int /*code*/) override {}
  int questions() const { return questions_; }

 private:
  FakeLauncher& launcher_;
  std::uint32_t process_;
  int questions_ = 0;  // to the launcher
};

LaunchConfig config_with(FakeBootstrap& bootstrap, std::optional<std::uint32_t> workers) {
  LaunchConfig config;
  config.bootstrap = &bootstrap;
  config.workers = workers;
  return config;
}

// A process that fails once it is connected reports its own error: no other one may fail first because its memory is
// gone.
TEST(Processes, LeaveOnceAllHaveJoined) {
  FakeLauncher launcher;
  std::thread one([&] {
    FakeBootstrap bootstrap(launcher, 1);
    {
      Processes processes(config_with(bootstrap, 1));
      processes.connect("auto");
    }
    launcher.has_process_1_ended = true;
  });
  FakeBootstrap bootstrap(launcher, 0);
  std::optional<Processes> processes(std::in_place, config_with(bootstrap, 1));
  EXPECT_NO_THROW(processes->connect("auto"));
  one.join();
  EXPECT_TRUE(launcher.has_process_1_ended);
}

// The number of questions of each process to the launcher does not grow with the number of processes, or that of all
// would grow with its square.
TEST(Processes, AskForAllValuesAtOnce) {
  FakeLauncher launcher;
  const auto start = [&launcher](std::uint32_t process) {
    FakeBootstrap bootstrap(launcher, process);
    Processes processes(config_with(bootstrap, std::nullopt));
    std::string why;
    EXPECT_TRUE(processes.fingerprints_match("program build 1", why)) << why;
    processes.connect("auto");
    EXPECT_LE(bootstrap.questions(), 9);
  };
  std::vector<std::thread> threads;
  for (std::uint32_t process = 0; process < kCount; ++process) {
    threads.emplace_back(start, process);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(Processes, SayWhichOneDiffers) {
  FakeLauncher launcher;
  const auto start = [&launcher](std::uint32_t process) {
    FakeBootstrap bootstrap(launcher, process);
    Processes processes(config_with(bootstrap, 1));
    std::string why;
    EXPECT_FALSE(processes.fingerprints_match(process == 1 ? "a.out build 2" : "b.out build 1", why));
    EXPECT_EQ(why, "process 0 has b.out build 1, process 1 has a.out build 2");
  };
  std::thread one(start, 1);
  start(0);
  one.join();
}

}  // namespace
}  // namespace weft::launch
