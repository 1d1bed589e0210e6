// Runs a program with all that it starts, and sees to it that nothing of it is left.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace weft::test {

struct Outcome {
  int code = -1;       // 128 + signal for a killed program
  std::string output;  // of standard output and error together
  double seconds = 0;
  bool hung_alone = false;        // it had to be killed, though nothing that it had started lived any more
  std::vector<std::string> left;  // command lines of processes that still lived some time after
};

// One run of a program. Orphaned descendants become children of this process, so that it can count them.
class ProgramRun {
 public:
  // `input` becomes standard input. The program leads a process group.
  explicit ProgramRun(const std::vector<std::string>& command, const std::string& input = "");
  ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  pid_t pid() const { return pid_; }
  std::string output() const;  // so far
  // Waits until `text` has appeared `times` times. False if that takes too long.
  bool wait_for(const std::string& text, int times);
  // Waits for the program and its descendants to end. After 100 s it kills all of them.
  Outcome finish();

 private:
  std::vector<std::string> wait_for_descendants() const;

  pid_t pid_ = -1;
  int file_ = -1;  // where the output goes
  std::chrono::steady_clock::time_point begin_;
};

inline Outcome run_program(const std::vector<std::string>& command, const std::string& input = "") {
  return ProgramRun(command, input).finish();
}

// Where the system finds a program; empty: nowhere.
std::string find_tool(const std::string& name);

}  // namespace weft::test
