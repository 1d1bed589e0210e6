// Another program that runs beside this one, at one end of a pipe.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ondes3d {

class Child {
 public:
  enum class Pipe { kFromItsOutput, kToItsInput };

  // Starts words[0], which is looked for in PATH where it has no slash. Throws std::system_error when it cannot be
  // started, with ENOENT where it is not there. posix_spawn(), since a rank of Weft may not fork its process's memory
  // for this and Open MPI warns of fork().
  Child(std::vector<std::string> words, Pipe pipe);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Closes the pipe and waits.
  ~Child();

  // All that it writes until it closes its output.
  [[nodiscard]] std::string read_all();
  // False when it reads no more. SIGPIPE must be ignored.
  [[nodiscard]] bool write(std::span<const std::byte> bytes);
  // Closes the pipe and waits. The exit code; 128 and the signal for one that a signal ended.
  [[nodiscard]] int wait();

 private:
  void close_pipe();

  int end_ = -1;   // of the pipe
  pid_t pid_ = 0;  // 0: waited for
};

}  // namespace ondes3d
