#include "runtime/bootstrap/launcher.hpp"

#include <optional>
#include <string>
#include <vector>

#include "runtime/bootstrap/job_hosts.hpp"
#include "runtime/bootstrap/job_images.hpp"
#include "runtime/bootstrap/job_recovery.hpp"
#include "runtime/bootstrap/job_run.hpp"

namespace weft::bootstrap {

namespace {

// Each call of run() starts the job's processes and waits until they have ended.
class Runs {
 public:
  Runs(const LauncherConfig& config, JobHosts& hosts) : config_(config), hosts_(hosts) {}

  RunEnd run(const ProcessSet& processes, JobRecovery* recovery) {
    JobRun run(config_, hosts_, processes, recovery);
    RunEnd end = run.run();
    ended_early_ = run.ended_early();
    return end;
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
  } else {
    code = runs.run(first, nullptr).code;
  }
  runs.finish();
  return code;
}

}  // namespace weft::bootstrap
