// Finds running jobs. Each job of this user on this host has a folder with the job's name, which holds a socket for
// each of the job's processes here. The folders are in FOLDER/jobs, where FOLDER is base::user_folder(), which only
// this user may open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::inspect {

// The name of a process's socket in the job's folder: "p12".
std::string socket_name(std::uint32_t process);

// The existing folders that may contain jobs' folders. The one for a job of this process is first; jobs started with
// other environment variables may be in the other one. Only folders that no other user may open.
std::vector<std::string> folders_of_jobs();

// Whether this is a valid name of a job: letters, digits and "@.-_", not beginning with a dot.
bool is_job_name(const std::string& name);

struct FoundJob {
  std::string name;
  std::string folder;
  std::vector<std::uint32_t> processes;  // whose sockets are in it, ascending
};

// All jobs that have a socket, sorted by name.
std::vector<FoundJob> find_jobs();

// Whether the weftrun process of a job on one host is alive; the job's name contains its process id. As long as it is,
// a job without answering processes may get new ones (weft resize, or a failure in a job of --survive).
bool is_alive(const std::string& job);
// A job's name has at most this many characters of the host's name, behind the "@".
constexpr std::size_t kMostHostOfJob = 48;

// Removes from the list the processes whose sockets nobody listens at any more. Returns whether a process is left. If
// the job is not alive, also removes these sockets, and the job's folder if no process is left.
bool remove_stale_sockets(FoundJob& job);
// The same. Returns whether the job has ended: no process is left, and weftrun starts none any more.
bool has_ended(FoundJob& job);

}  // namespace weft::inspect
