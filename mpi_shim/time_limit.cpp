#include "mpi_shim/time_limit.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

namespace weft::mpi_shim {

TimeLimit::TimeLimit(runtime::Job& job, std::uint32_t seconds) {
  if (seconds == 0) {
    return;
  }
  thread_ = std::jthread([&job, seconds](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, std::chrono::seconds(seconds), [&] { return stop.stop_requested(); });
    if (!stop.stop_requested()) {
      job.abort(1,
                fmt::format("weft: the job has run for {} seconds, its limit (--timeout, MPIEXEC_TIMEOUT)", seconds));
    }
  });
}

}  // namespace weft::mpi_shim
