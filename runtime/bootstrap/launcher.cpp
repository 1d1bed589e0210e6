#include "runtime/bootstrap/launcher.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/say.hpp"
#include "runtime/bootstrap/job_hosts.hpp"
#include "runtime/bootstrap/job_images.hpp"
#include "runtime/bootstrap/job_recovery.hpp"
#include "runtime/bootstrap/job_run.hpp"

namespace weft::bootstrap {

namespace {

using std::chrono::ceil;
using std::chrono::milliseconds;
using std::chrono::seconds;

// What happens once the processes have ended, as long as images go to a disk.
class LastSaves final : private RemoteEvents {
 public:
  LastSaves(JobHosts& hosts, JobImages& images) : hosts_(hosts), images_(images) {}

  // Waits for an event. False: a signal wants the launcher to end.
  bool step() {
    std::vector<pollfd> watched{{hosts_.signals.fd(), POLLIN, 0}};
    images_.watch(watched);
    if (hosts_.others) {
      hosts_.others->watch(watched);
    }
    ::poll(watched.data(), watched.size(), timeout());
    if (hosts_.signals.stop_request()) {
      return false;
    }
    if (hosts_.others) {
      hosts_.others->serve(*this);
    }
    images_.serve();
    if (!has_said_ && images_.is_saving() && Clock::now() >= say_at_) {
      base::say("weftrun: the ranks have ended; their last checkpoint is still being written\n");
      has_said_ = true;
    }
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  int timeout() const {
    auto due = has_said_ ? Clock::time_point::max() : say_at_;
    if (const auto sign = hosts_.others ? hosts_.others->due() : std::nullopt) {
      due = std::min(due, *sign);
    }
    const auto left = ceil<milliseconds>(due - Clock::now()).count();
    return due == Clock::time_point::max() ? -1 : static_cast<int>(std::max<std::int64_t>(left, 0));
  }

  void process_connected(std::uint32_t /*process*/, std::unique_ptr<FrameStream>& /*stream*/) override {}
  void process_ended(std::uint32_t /*process*/, int /*status*/) override {}
  void host_lost(std::uint32_t host, Loss /*loss*/, int /*status*/) override { images_.lose_host(host); }
  void files_copied(const CopyOrder& order, bool is_whole) override { images_.note_copied(order, is_whole); }

  JobHosts& hosts_;
  JobImages& images_;
  const Clock::time_point say_at_ = Clock::now() + seconds(1);
  bool has_said_ = false;
};

// Each call of run() starts the job's processes and waits until they have ended.
class Runs {
 public:
  Runs(const LauncherConfig& config, JobHosts& hosts) : config_(config), hosts_(hosts) {}

  RunEnd run(const ProcessSet& processes, JobRecovery* recovery) {
    JobRun run(config_, hosts_, processes, recovery);
    RunEnd end = run.run();
    ended_early_ = run.ended_early();
    stopped_ = end.stopped;
    return end;
  }
  // Images that are on their way to a disk get there, unless somebody stops that.
  void finish(JobImages& images) {
    LastSaves saves(hosts_, images);
    while (!stopped_ && images.is_saving()) {
      stopped_ = !saves.step();
    }
    images.end_saving();
  }
  // What agents still pass on is waited for.
  void finish() {
    if (hosts_.others) {
      hosts_.others->finish(hosts_.signals, ended_early_);
    }
  }

 private:
  const LauncherConfig& config_;
  JobHosts& hosts_;
  bool ended_early_ = false;  // the last time
  bool stopped_ = false;      // by a signal to the launcher
};

}  // namespace

int launch(const LauncherConfig& config) {
  JobHosts hosts(config);
  const ProcessSet first{.hosts = hosts.of_processes(), .workers = {}, .before = {}};
  Runs runs(config, hosts);
  int code = 0;
  if (config.survive_limit) {
    JobImages images(hosts.others);
    JobRecovery recovery(first, *config.survive_limit, images);
    code = recovery.run([&](const ProcessSet& processes) { return runs.run(processes, &recovery); },
                        [&](const ProcessSet& processes) {
                          std::vector<std::string> names;
                          for (const std::uint32_t host : processes.hosts) {
                            names.push_back(hosts.name(host));
                          }
                          if (config.before_change) {
                            config.before_change(processes, names);
                          }
                        });
    runs.finish(images);
  } else {
    code = runs.run(first, nullptr).code;
  }
  runs.finish();
  return code;
}

}  // namespace weft::bootstrap
