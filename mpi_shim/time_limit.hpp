// What MPIEXEC_TIMEOUT asks of a launcher: an end for jobs that run too long.
#pragma once

#include <cstdint>
#include <thread>

#include "runtime/job/job.hpp"

namespace weft::mpi_shim {

// As long as this lives: after `seconds` the job ends with a line that says so. 0: it may take as long as it likes.
class TimeLimit {
 public:
  TimeLimit(runtime::Job& job, std::uint32_t seconds);

 private:
  std::jthread thread_;
};

}  // namespace weft::mpi_shim
