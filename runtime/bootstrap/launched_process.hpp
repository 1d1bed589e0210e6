// What the embedded launcher knows of one process that it has started.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/bootstrap/frame.hpp"

namespace weft::bootstrap {

struct LaunchedProcess {
  std::uint32_t process = 0;
  std::string host;
  std::uint32_t host_number = 0;        // as in JobHosts; 0: the launcher's
  pid_t pid = 0;                        // only on this host
  std::unique_ptr<FrameStream> stream;  // null before it has connected and after it has gone
  bool connected = false;               // has connected at least once
  std::string ranks;                    // that live in it, such as "0-3,8"; for messages
  std::map<std::string, std::string, std::less<>> values;
  bool running = false;         // has reported which ranks it has
  bool fencing = false;         // waits in a fence
  bool finished = false;        // has called Bootstrap::finish()
  bool failed = false;          // has died, and the job continues (--survive api)
  bool aborting = false;        // has asked to abort the job, and printed why
  std::string crash;            // where a fatal signal came, as reported by the process
  bool signalled = false;       // that signal was sent by another process
  std::optional<int> reported;  // on another host: its status, from the proxy or for the host's loss
  std::string host_loss;        // how its host was lost; empty: it was not
  bool ended = false;           // it has ended and has been waited for
  int status = 0;               // as waitpid returns it
  // set once its connection has ended before the process
  std::optional<std::chrono::steady_clock::time_point> must_end_by;

  bool here() const { return host_number == 0; }
};

// The answer to a request for what the process has put under the key. If it has put nothing: kNotFound, or an empty
// value if the process has failed.
Frame value_of(const LaunchedProcess& launched, const std::string& key);

void answer(const LaunchedProcess& launched, const Frame& frame);
// Answers all processes that wait in a fence, once every living process waits there, or with kFailed once one has
// finished.
void answer_fence(std::vector<LaunchedProcess>& processes);
// What to poll() for each process.
std::vector<pollfd> connections_of(const std::vector<LaunchedProcess>& processes);
// True when its connection has unread input.
bool has_unread_input(const LaunchedProcess& launched);

// The exit code for a wait status: its own, or 128 + signal.
int exit_code_of(int status);
// Ignores processes whose failure the job has survived.
int largest_exit_code(const std::vector<LaunchedProcess>& processes);
std::set<std::uint32_t> hosts_of(const std::vector<LaunchedProcess>& processes);
bool all_connected(const std::vector<LaunchedProcess>& processes);
// True when all processes run ranks, and more than one has neither finished nor failed.
bool can_lose_one(const std::vector<LaunchedProcess>& processes);
// The first process that has ended since the last call, with its status set; null: none has.
LaunchedProcess* find_ended(std::vector<LaunchedProcess>& processes);
// The signal that ended the process: its own, or that of an agent, as reported by a shell. 0: none.
int signal_of(const LaunchedProcess& launched);
// Kills the processes on this host that have not ended, and waits for them.
void end_all(const std::vector<LaunchedProcess>& processes);
// "was killed by signal 9 (Killed)", of a status as waitpid returns it.
std::string end_text(int status);
// "process 1 on host a (ranks 4-7)".
std::string name_of(const LaunchedProcess& launched);
// How it ended or was lost: "was killed by signal 11 (Segmentation fault)". "does not answer any more" if it has not
// ended.
std::string end_of(const LaunchedProcess& launched);

}  // namespace weft::bootstrap
