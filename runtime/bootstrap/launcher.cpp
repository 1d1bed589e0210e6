#include "runtime/bootstrap/launcher.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <exception>
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

// Waits for images that are being copied to a disk, while no process runs.
class SaveWaiter final : private RemoteEvents {
 public:
  SaveWaiter(JobHosts& hosts, JobImages& images) : hosts_(hosts), images_(images) {}

  // Waits until they are complete, or for `limit`. Returns a signal that tells the launcher to end.
  std::optional<int> run(std::optional<seconds> limit) {
    if (limit) {
      end_at_ = Clock::now() + *limit;
    }
    images_.serve();
    while (images_.expected_save() && Clock::now() < end_at_) {
      if (const auto signal = step()) {
        return signal;
      }
    }
    return std::nullopt;
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<int> step() {
    std::vector<pollfd> watched{{hosts_.signals.fd(), POLLIN, 0}};
    images_.watch(watched);
    if (hosts_.others) {
      hosts_.others->watch(watched);
    }
    ::poll(watched.data(), watched.size(), timeout());
    if (const auto signal = hosts_.signals.stop_request()) {
      return signal;
    }
    if (hosts_.others) {
      hosts_.others->serve(*this);
    }
    images_.serve();
    if (!has_said_ && images_.expected_save() && Clock::now() >= say_at_) {
      base::say("weftrun: the last checkpoint is still being written\n");
      has_said_ = true;
    }
    return std::nullopt;
  }

  int timeout() const {
    auto due = has_said_ ? end_at_ : std::min(say_at_, end_at_);
    if (const auto sign = hosts_.others ? hosts_.others->due() : std::nullopt) {
      due = std::min(due, *sign);
    }
    const auto left = ceil<milliseconds>(due - Clock::now()).count();
    return due == Clock::time_point::max() ? -1 : static_cast<int>(std::max<std::int64_t>(left, 0));
  }

  void process_connected(std::uint32_t /*process*/, std::unique_ptr<FrameStream>& /*stream*/) override {}
  void process_ended(std::uint32_t /*process*/, int /*status*/) override {}
  void host_lost(std::uint32_t host, Loss loss, int status) override {
    hosts_.note_loss(host, loss, status);
    images_.lose_host(host);
  }
  void files_copied(const CopyOrder& order, bool is_whole) override { images_.note_copied(order, is_whole); }

  JobHosts& hosts_;
  JobImages& images_;
  Clock::time_point end_at_ = Clock::time_point::max();
  const Clock::time_point say_at_ = Clock::now() + seconds(1);
  bool has_said_ = false;
};

// Each call of run() starts the job's processes and waits until they have ended.
class JobRunner {
 public:
  JobRunner(const LauncherConfig& config, JobHosts& hosts) : config_(config), hosts_(hosts) {}

  RunEnd run(const ProcessSet& processes, JobRecovery* recovery) {
    if (stop_signal_) {
      RunEnd end;
      end.stopped = true;
      return end;
    }
    JobRun run(config_, hosts_, processes, recovery);
    RunEnd end = run.run();
    ended_early_ = run.ended_early();
    stopped_ = end.stopped;
    return end;
  }
  // Completes the copies of images to a disk, unless a signal stops that. `code`: the job's exit code. Returns it, or
  // the one for the signal.
  int finish(JobImages& images, int code) {
    constexpr seconds kLimit{60};  // for a job that has failed: its user should not wait longer
    finish_saves(images, code == 0 ? std::nullopt : std::optional(kLimit));
    images.end_saving();
    return stop_signal_ ? 128 + *stop_signal_ : code;
  }
  // Returns false if a signal tells the job to end.
  bool finish_saves(JobImages& images, std::optional<seconds> limit = std::nullopt) {
    if (!stopped_ && !stop_signal_) {
      stop_signal_ = SaveWaiter(hosts_, images).run(limit);
    }
    return !stop_signal_;
  }
  // Waits for output that agents still pass on.
  void finish() {
    if (hosts_.others) {
      hosts_.others->finish(hosts_.signals, ended_early_);
    }
  }

 private:
  const LauncherConfig& config_;
  JobHosts& hosts_;
  bool ended_early_ = false;        // the last run ended early
  bool stopped_ = false;            // by a signal to the launcher
  std::optional<int> stop_signal_;  // received while no process ran
};

int run_with_recovery(const LauncherConfig& config, const JobHosts& hosts, JobRunner& runner, JobImages& images) {
  JobRecovery recovery({.hosts = hosts.of_processes(), .workers = {}, .before = {}}, *config.survive_limit, images);
  return recovery.run([&](const ProcessSet& processes) { return runner.run(processes, &recovery); },
                      [&](const ProcessSet& processes) {
                        std::vector<std::string> names;
                        for (const std::uint32_t host : processes.hosts) {
                          names.push_back(hosts.name(host));
                        }
                        if (config.before_change) {
                          config.before_change(processes, names);
                        }
                      },
                      [&] { return runner.finish_saves(images); });
}

}  // namespace

int launch(const LauncherConfig& config) {
  JobHosts hosts(config);
  JobRunner runner(config, hosts);
  int code = 0;
  if (config.survive_limit) {
    JobImages images(hosts.others);
    try {
      code = runner.finish(images, run_with_recovery(config, hosts, runner, images));
    } catch (const std::exception&) {
      images.end_saving();
      throw;
    }
  } else {
    code = runner.run({.hosts = hosts.of_processes(), .workers = {}, .before = {}}, nullptr).code;
  }
  runner.finish();
  return code;
}

}  // namespace weft::bootstrap
