// The names that ranks of a job have published (MPI_Publish_name), which process 0 holds, and each process's pending
// queries to it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "mpi_shim/state/process_part.hpp"

namespace weft::mpi_shim {
inline namespace dynamic {

// Thread-safe.
class PublishedNames final : public ProcessPart {
 public:
  static constexpr ProcessPartId kProcessPart = ProcessPartId::published_names;
  // False when the service has a port already.
  bool publish(const std::string& service, const std::string& port) {
    const std::lock_guard lock(mutex_);
    return ports_.emplace(service, port).second;
  }
  // False when the service has no such port.
  bool unpublish(const std::string& service, const std::string& port) {
    const std::lock_guard lock(mutex_);
    const auto found = ports_.find(service);
    if (found == ports_.end() || found->second != port) {
      return false;
    }
    ports_.erase(found);
    return true;
  }
  std::optional<std::string> look_up(const std::string& service) const {
    const std::lock_guard lock(mutex_);
    const auto found = ports_.find(service);
    return found == ports_.end() ? std::nullopt : std::optional(found->second);
  }

  // The queries of this process's ranks that the name server has not answered. The caller that takes a query out must
  // complete it.
  void add_query(void* query) {
    const std::lock_guard lock(mutex_);
    queries_.insert(query);
  }
  bool take_query(void* query) {
    const std::lock_guard lock(mutex_);
    return queries_.erase(query) != 0;
  }
  std::set<void*> take_queries() {
    const std::lock_guard lock(mutex_);
    return std::exchange(queries_, {});
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, std::string> ports_;
  std::set<void*> queries_;
};

}  // namespace dynamic
}  // namespace weft::mpi_shim
