// Queries process 0 of a job, which decides for the job: on this host, or on another one through a relay.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inspect/job_folders.hpp"
#include "inspect/messages.hpp"
#include "tools/weft/relay.hpp"

namespace weft::tools::weft_tool {

class FirstProcess {
 public:
  // Throws std::runtime_error, one line, if no process of such a job is on this host or `job` is no job's name.
  explicit FirstProcess(const std::string& job);

  const std::string& job() const { return job_; }
  // Returns nothing if it does not answer, as while the job changes its processes. Afterwards process 0 may be on
  // another host.
  std::optional<inspect::ResizeState> query(const inspect::Question& question);

 private:
  std::optional<inspect::ResizeState> query_on(const std::string& host, const inspect::Question& question);

  bool find_hosts(const inspect::FoundJob& here);

  std::string job_;
  std::string agent_;               // empty: all processes are on this host
  std::vector<std::string> hosts_;  // of each process, as a process here has said last
  std::unique_ptr<Relay> relay_;    // to the host that was queried last
  std::chrono::steady_clock::time_point last_answer_ = std::chrono::steady_clock::now();
};

}  // namespace weft::tools::weft_tool
