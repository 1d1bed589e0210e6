#include "base/thread_start.hpp"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "base/control_groups.hpp"

namespace weft::base {
namespace {

std::string first_word(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

void add_resource(std::vector<std::string>& limits, decltype(RLIMIT_NPROC) resource, std::uint64_t unit,
                  const char* text) {
  rlimit limit = {};
  if (::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    limits.push_back(std::to_string(limit.rlim_cur / unit) + text);
  }
}

void add_groups(std::vector<std::string>& limits) {
  for (const ControlGroup& group : control_groups("pids")) {
    if (const std::string most = first_word(group.folder / "pids.max"); !most.empty() && most != "max") {
      limits.push_back(most + " in control group " + group.name + " (pids.max), where " +
                       first_word(group.folder / "pids.current") + " run");
    }
  }
}

}  // namespace

std::string thread_limits() {
  std::vector<std::string> limits;
  add_resource(limits, RLIMIT_NPROC, 1, " processes and threads of this user (ulimit -u)");
  add_groups(limits);
  if (const std::string most = first_word("/proc/sys/kernel/threads-max"); !most.empty()) {
    limits.push_back(most + " in all (kernel.threads-max)");
  }
  // A thread's stack counts against these.
  add_resource(limits, RLIMIT_AS, 1024, " KiB of addresses (ulimit -v)");
  add_resource(limits, RLIMIT_DATA, 1024, " KiB of data (ulimit -d)");
  std::string text;
  for (const std::string& limit : limits) {
    text += (text.empty() ? "; limits: " : ", ") + limit;
  }
  return text;
}

void check_process_limits(std::uint64_t count) {
  const auto refuse_above = [count](std::uint64_t most, const char* what) {
    if (count > most) {
      throw std::runtime_error("cannot start " + std::to_string(count) + " processes: there can be " +
                               std::to_string(most) + " " + what +
                               ", and each needs one; use fewer, or raise the limit");
    }
  };
  rlimit files = {};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    refuse_above(files.rlim_cur, "open files (ulimit -n)");
  }
  std::uint64_t most = 0;
  if (std::ifstream("/proc/sys/kernel/pid_max") >> most) {
    refuse_above(most, "processes (kernel.pid_max)");
  }
}

void fail_to_start(std::string_view what, const std::string& error) {
  throw std::runtime_error("cannot start " + std::string(what) + ": " + error + thread_limits() +
                           "; raise the limit that is reached, or use fewer workers or processes");
}

}  // namespace weft::base
