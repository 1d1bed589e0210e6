#include "inspect/job_folders.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/host_name.hpp"
#include "base/user_folder.hpp"
#include "inspect/connection.hpp"

namespace weft::inspect {
namespace {

namespace files = std::filesystem;

std::optional<std::uint32_t> process_of(std::string_view name) {
  std::uint32_t process = 0;
  const char* const end = name.data() + name.size();
  if (name.size() < 2 || name.front() != 'p') {
    return std::nullopt;
  }
  const auto [at, error] = std::from_chars(name.data() + 1, end, process);
  return error == std::errc{} && at == end ? std::optional(process) : std::nullopt;
}

std::string path_in(std::string folder, const std::string& name) {
  folder += '/';
  folder += name;
  return folder;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (files::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  return names;
}

}  // namespace

std::string socket_name(std::uint32_t process) { return "p" + std::to_string(process); }

std::vector<std::string> folders_of_jobs() {
  std::vector<std::string> folders = base::existing_user_folders();
  for (std::string& folder : folders) {
    folder += "/jobs";
  }
  return folders;
}

bool is_job_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("@.-_").find(c) != std::string_view::npos;
  });
}

std::vector<FoundJob> find_jobs() {
  std::vector<FoundJob> jobs;
  for (const std::string& above : folders_of_jobs()) {
    for (const std::string& name : names_in(above)) {
      FoundJob job{.name = name, .folder = path_in(above, name), .processes = {}};
      for (const std::string& socket : names_in(job.folder)) {
        if (const auto process = process_of(socket)) {
          job.processes.push_back(*process);
        }
      }
      std::ranges::sort(job.processes);
      if (is_job_name(name) && !job.processes.empty()) {
        jobs.push_back(std::move(job));
      }
    }
  }
  std::ranges::stable_sort(jobs, {}, &FoundJob::name);
  return jobs;
}

bool is_alive(const std::string& job) {
  const auto at = job.find('@');
  if (at != std::string::npos && base::host_name().substr(0, kMostHostOfJob) != job.substr(at + 1)) {
    return false;
  }
  std::error_code error;  // set also for a process that has ended and was not waited for
  return files::read_symlink(path_in(path_in("/proc", job.substr(0, at)), "exe"), error)
      .filename()
      .string()
      .starts_with("weftrun");
}

bool remove_stale_sockets(FoundJob& job) {
  const bool keeps = is_alive(job.name);  // a new process may reuse the socket's name at any time
  std::erase_if(job.processes, [&](std::uint32_t process) {
    const std::string path = path_in(job.folder, socket_name(process));
    if (connect_to(path)) {
      return false;
    }
    // A socket gets its name only after its process listens, so a refused connection means that the process is gone. A
    // process that ends in good order removes the name itself.
    return errno == ENOENT || (errno == ECONNREFUSED && (keeps || ::unlink(path.c_str()) == 0));
  });
  if (job.processes.empty() && !keeps) {
    ::rmdir(job.folder.c_str());
  }
  return !job.processes.empty();
}

bool has_ended(FoundJob& job) { return !remove_stale_sockets(job) && !is_alive(job.name); }

}  // namespace weft::inspect
