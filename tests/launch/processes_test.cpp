// How the processes of a job join: two of them as threads of this one, and a launcher that is a map.
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

struct World {
  std::mutex mutex;
  std::map<std::pair<std::uint32_t, std::string>, std::string> values;
  std::barrier<> barrier{kCount};
  std::atomic<bool> gone = false;  // process 1, with all that it had
};

class Member : public bootstrap::Bootstrap {
 public:
  Member(World& world, std::uint32_t process) : world_(world), process_(process) {}

  ProcessId process() const override { return ProcessId{process_}; }
  std::uint32_t processes() const override { return kCount; }
  void put(std::string_view key, std::string_view value) override {
    const std::lock_guard lock(world_.mutex);
    world_.values[{process_, std::string(key)}] = value;
  }
  void fence() override { world_.barrier.arrive_and_wait(); }
  std::vector<std::string> get_all(std::string_view key) override {
    std::vector<std::string> values = Bootstrap::get_all(key);
    asked_ -= kCount - 1;
    return values;
  }
  // Process 0 is slow to ask where another's memory is: the other could long be gone.
  std::string get(ProcessId of, std::string_view key) override {
    for (int i = 0; process_ == 0 && key == "weft-memory" && i < 300 && !world_.gone; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ++asked_;
    const std::lock_guard lock(world_.mutex);
    return world_.values.at({number(of), std::string(key)});
  }
  void finish() override {}
  void abort(int /*code*/) override {}
  int asked() const { return asked_; }

 private:
  World& world_;
  std::uint32_t process_;
  int asked_ = 0;  // questions to the launcher
};

LaunchConfig with(Member& member, std::optional<std::uint32_t> workers) {
  LaunchConfig config;
  config.bootstrap = &member;
  config.workers = workers;
  return config;
}

// A process that fails after joining tells its own error: no other may fail first because its memory is gone.
TEST(Processes, LeaveOnceAllHaveJoined) {
  World world;
  std::thread one([&] {
    Member member(world, 1);
    {
      Processes processes(with(member, 1));
      processes.join("auto");
    }
    world.gone = true;
  });
  Member member(world, 0);
  std::optional<Processes> processes(std::in_place, with(member, 1));
  EXPECT_NO_THROW(processes->join("auto"));
  one.join();
  EXPECT_TRUE(world.gone);
}

// What a launcher is asked by each process does not grow with their number: all together would ask its square.
TEST(Processes, AskForAllValuesAtOnce) {
  World world;
  const auto start = [&world](std::uint32_t process) {
    Member member(world, process);
    Processes processes(with(member, std::nullopt));
    std::string why;
    EXPECT_TRUE(processes.agree("program build 1", why)) << why;
    processes.join("auto");
    EXPECT_LE(member.asked(), 9);
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
  World world;
  const auto start = [&world](std::uint32_t process) {
    Member member(world, process);
    Processes processes(with(member, 1));
    std::string why;
    EXPECT_FALSE(processes.agree(process == 1 ? "a.out build 2" : "b.out build 1", why));
    EXPECT_EQ(why, "process 0 has b.out build 1, process 1 has a.out build 2");
  };
  std::thread one(start, 1);
  start(0);
  one.join();
}

}  // namespace
}  // namespace weft::launch
