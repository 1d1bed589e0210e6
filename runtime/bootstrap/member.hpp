// What the embedded launcher knows of one process of its job.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/bootstrap/frame.hpp"

namespace weft::bootstrap {

struct Member {
  std::uint32_t process = 0;
  std::string host;
  bool here = true;
  pid_t pid = 0;                        // of the process, or of the agent that has started it
  pid_t feeder = 0;                     // passes standard input to another host; 0: none
  std::unique_ptr<FrameStream> stream;  // null before it has connected and after it has gone
  bool connected = false;               // has ever been
  std::string ranks;
  std::map<std::string, std::string, std::less<>> values;
  bool running = false;  // has said which ranks it has
  bool fencing = false;
  bool finished = false;
  bool failed = false;                                                // has died, and the job goes on (--survive api)
  bool aborting = false;                                              // has said why itself
  std::string crash;                                                  // where a fatal signal has come, as it said
  bool signalled = false;                                             // that signal was sent by another process
  bool ended = false;                                                 // and been waited for
  int status = 0;                                                     // as waitpid returns it
  std::optional<std::chrono::steady_clock::time_point> silent_since;  // its connection is gone, it is not
};

// The answer to who asks for what the process has put under the key; of one that has died, nothing at all.
Frame value_of(const Member& member, const std::string& key);

void answer(const Member& member, const Frame& frame);
// All that wait in a fence, once every process that lives does, or never can.
void answer_fence(std::vector<Member>& members);
// Something of its connection has not been read.
bool has_more_to_say(const Member& member);

// The exit code that stands for a status: its own, or 128 + signal.
int exit_code_of(int status);
// Without those whose failure the job has survived.
int largest_exit_code(const std::vector<Member>& members);
// All run their ranks, and one of them that has not finished is not the last.
bool can_lose_one(const std::vector<Member>& members);
// The first that has ended since the last look, with its status; null: none has.
Member* find_ended(std::vector<Member>& members);
// To all that have not ended. SIGTERM: processes on other hosts end themselves when their connection ends; their agents
// must live until then.
void signal_all(const std::vector<Member>& members, int signal);
// A user's signal that the launcher got for process 0. A line says so where that is on another host, out of reach.
void pass_on(int signal, const Member& first);
// Kills those that have not ended, and waits for them.
void end_all(const std::vector<Member>& members);
// "process 1 on host a (ranks 4-7)".
std::string name_of(const Member& member);
// How it ended: "was killed by signal 11 (Segmentation fault)".
std::string end_of(const Member& member, const std::string& agent);

}  // namespace weft::bootstrap
