// The names that ranks of a job have published (MPI_Publish_name); kept in process 0.
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

  // What this process's ranks have asked the one that keeps the names, and has not been answered. Whoever takes a
  // question out ends it.
  void add_question(void* question) {
    const std::lock_guard lock(mutex_);
    questions_.insert(question);
  }
  bool take_question(void* question) {
    const std::lock_guard lock(mutex_);
    return questions_.erase(question) != 0;
  }
  std::set<void*> take_questions() {
    const std::lock_guard lock(mutex_);
    return std::exchange(questions_, {});
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, std::string> ports_;
  std::set<void*> questions_;
};

}  // namespace dynamic
}  // namespace weft::mpi_shim
