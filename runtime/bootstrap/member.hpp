// What the embedded launcher knows of one process of its job.
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

struct Member {
  std::uint32_t process = 0;
  std::string host;
  std::uint32_t host_number = 0;        // JobHosts'; 0: the launcher's
  pid_t pid = 0;                        // here
  std::unique_ptr<FrameStream> stream;  // null before it has connected and after it has gone
  bool connected = false;               // has ever been
  std::string ranks;
  std::map<std::string, std::string, std::less<>> values;
  bool running = false;  // has said which ranks it has
  bool fencing = false;
  bool finished = false;
  bool failed = false;                                               // has died, and the job goes on (--survive api)
  bool aborting = false;                                             // has said why itself
  std::string crash;                                                 // where a fatal signal has come, as it said
  bool signalled = false;                                            // that signal was sent by another process
  std::optional<int> reported;                                       // the status, by its host's proxy
  std::string host_loss;                                             // how its host was lost; empty: it was not
  bool ended = false;                                                // and been waited for
  int status = 0;                                                    // as waitpid returns it
  std::optional<std::chrono::steady_clock::time_point> must_end_by;  // its connection is gone, it is not

  bool here() const { return host_number == 0; }
};

// The answer to who asks for what the process has put under the key; of one that has died, nothing at all.
Frame value_of(const Member& member, const std::string& key);

void answer(const Member& member, const Frame& frame);
// All that wait in a fence, once every process that lives does, or never can.
void answer_fence(std::vector<Member>& members);
// What to poll() of each.
std::vector<pollfd> connections_of(const std::vector<Member>& members);
// Something of its connection has not been read.
bool has_more_to_say(const Member& member);

// The exit code that stands for a status: its own, or 128 + signal.
int exit_code_of(int status);
// Without those whose failure the job has survived.
int largest_exit_code(const std::vector<Member>& members);
std::set<std::uint32_t> hosts_of(const std::vector<Member>& members);
bool all_connected(const std::vector<Member>& members);
// All run their ranks, and one of them that has not finished is not the last.
bool can_lose_one(const std::vector<Member>& members);
// The first that has ended since the last look, with its status; null: none has.
Member* find_ended(std::vector<Member>& members);
// A signal that stands for the end: the process's own, or that of an agent, as a shell reports it; 0: there is none.
int signal_of(const Member& member);
// Kills those here that have not ended, and waits for them.
void end_all(const std::vector<Member>& members);
// "was killed by signal 9 (Killed)", of a status as waitpid returns it.
std::string end_text(int status);
// "process 1 on host a (ranks 4-7)".
std::string name_of(const Member& member);
// How it ended: "was killed by signal 11 (Segmentation fault)".
std::string end_of(const Member& member);

}  // namespace weft::bootstrap
