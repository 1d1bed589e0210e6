// The thread of a job's process that answers `weft ps`, `weft top`, `weft stacks` and `weft resize`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "launch/launch_config.hpp"
#include "runtime/job/job.hpp"

namespace weft::launch {

class ImageProgram;

// The job's name: the one that weftrun gives it, else the number of the process that the user has started or of the
// job's first process. In a job on several hosts "@" and the first host's name follow. Every process constructs one,
// and then calls a fence.
class JobName {
 public:
  explicit JobName(const LaunchConfig& config);
  // REQUIRES: the fence has passed.
  std::string text() const;
  const std::string& agent() const { return config_.agent; }
  std::uint32_t seconds_so_far() const { return config_.seconds_so_far; }

 private:
  const LaunchConfig& config_;
  std::string mine_;
};

// While it lives, a thread listens at the process's socket in the job's folder (inspect/job_folders.hpp). It costs
// nothing until a question comes. If the socket cannot be opened the job runs without it, and `verbose` prints a line
// about that. One at a time in a process.
class InspectionServer {
 public:
  InspectionServer(const runtime::Job& job, const ImageProgram& program, const JobName& name, bool verbose);
  ~InspectionServer();
  InspectionServer(const InspectionServer&) = delete;
  InspectionServer& operator=(const InspectionServer&) = delete;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace weft::launch
