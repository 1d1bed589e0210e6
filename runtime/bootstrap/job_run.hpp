// One run of a job's processes: the launcher starts them, serves as their key-value store, and ends all when one dies.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/job_changes.hpp"
#include "runtime/bootstrap/job_hosts.hpp"
#include "runtime/bootstrap/job_recovery.hpp"
#include "runtime/bootstrap/launched_process.hpp"
#include "runtime/bootstrap/launcher_config.hpp"
#include "runtime/bootstrap/notice_server.hpp"
#include "runtime/bootstrap/remote_hosts.hpp"
#include "runtime/bootstrap/start_watch.hpp"

namespace weft::bootstrap {

class JobRun final : private RemoteEvents {
 public:
  // `recovery`: null where a death ends the job.
  JobRun(const LauncherConfig& config, JobHosts& hosts, const ProcessSet& processes, JobRecovery* recovery);
  ~JobRun() override { end_all(processes_); }
  JobRun(const JobRun&) = delete;
  JobRun& operator=(const JobRun&) = delete;
  RunEnd run();
  // Whether run() itself has ended the processes.
  bool ended_early() const { return code_.has_value(); }

 private:
  using Clock = std::chrono::steady_clock;

  void start(LaunchedProcess& launched);
  void step();
  int poll_timeout() const;
  void check_start();
  void process_connected(std::uint32_t process, std::unique_ptr<FrameStream>& stream) override;
  void process_ended(std::uint32_t process, int status) override;
  void host_lost(std::uint32_t host, Loss loss, int status) override;
  void files_copied(const CopyOrder& order, bool is_whole) override;
  void lose_host(std::uint32_t host, const std::string& how);
  void serve(LaunchedProcess& launched);
  void handle_all(LaunchedProcess& launched);
  void handle(LaunchedProcess& launched, Frame frame);
  void reap();
  void note_end(LaunchedProcess& launched);
  bool continue_without(LaunchedProcess& launched, const std::string& what);
  void lose(LaunchedProcess& launched);
  void change_to(std::string_view next);
  void check_silence();
  void stop_by(int signal);
  void end_job(int code);
  void end_overdue();
  void signal(const LaunchedProcess& launched, int signal);
  void signal_all(int signal);

  const LauncherConfig& config_;
  JobHosts& hosts_;
  JobRecovery* const recovery_;
  std::optional<JobChanges> changes_;  // only with recovery_
  std::vector<LaunchedProcess> processes_;
  StartWatch start_watch_;
  std::optional<NoticeServer> notices_;  // only with --survive api
  std::optional<int> code_;              // of the job, once it is ending early
  RunEnd end_;                           // with the death that the job may survive
  std::optional<Clock::time_point> kill_at_;
  std::optional<Clock::time_point> drop_at_;  // when to kill the agents of hosts whose processes have not ended
};

}  // namespace weft::bootstrap
