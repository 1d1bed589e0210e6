// Where jobs are found: a folder for each job of this user on this host, named as the job is, with a socket for each of
// its processes here. The folders lie in FOLDER/jobs, FOLDER being base::user_folder(), which nobody else may open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::inspect {

// "p12", in the job's folder.
std::string socket_name(std::uint32_t process);

// The folders above those of the jobs: where this process's own job would go first, then the other place where jobs
// that had other variables may be. Only those that are there and are this user's alone.
std::vector<std::string> folders_of_jobs();

// Whether a job may have this name: letters, digits and "@.-_", not beginning with a dot.
bool is_job_name(const std::string& name);

struct FoundJob {
  std::string name;
  std::string folder;
  std::vector<std::uint32_t> processes;  // whose sockets are in it, ascending
};

// All that have a socket, sorted by name.
std::vector<FoundJob> find_jobs();

// Whether weftrun's process that was started for a job of one host lives, after which the job is called. While that is
// so a job without processes that answer may get others (weft resize, or a death in a job of --survive).
bool is_alive(const std::string& job);
// Of a host's name, behind the "@" of a job's.
constexpr std::size_t kMostHostOfJob = 48;

// Takes out of the list the processes at whose sockets nobody listens any more; whether any is left. Where the job is
// not alive their sockets go as well, and its folder if none is left.
bool drop_leftovers(FoundJob& job);

}  // namespace weft::inspect
