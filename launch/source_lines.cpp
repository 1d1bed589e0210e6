#include "launch/source_lines.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "base/executable.hpp"
#include "runtime/image/program.hpp"
#include "runtime/image/unwind.hpp"

namespace weft::launch {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kTimeout(4);  // less than the crash report may take

std::string line_reader;  // written once, before the first rank starts

// The arguments of one run of addr2line, and the locations that it fills in.
struct Addr2lineRun {
  std::array<std::array<char, 20>, kMostCodeLocations> words;
  std::array<const char*, kMostCodeLocations + 4> arguments;
  std::array<CodeLocation*, kMostCodeLocations> locations;
  std::size_t count = 0;
  int output = -1;
};

// Runs in the child, which shares its parent's memory until it executes the tool: sanitizers must not instrument it.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int execute(void* argument) {
  const auto& run = *static_cast<Addr2lineRun*>(argument);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const std::array<const char*, 2> environment{"LC_ALL=C", nullptr};
  if (nowhere >= 0 && ::dup2(nowhere, 0) == 0 && ::dup2(run.output, 1) == 1 && ::dup2(nowhere, 2) == 2) {
    ::execve(line_reader.c_str(), const_cast<char* const*>(run.arguments.data()),
             const_cast<char* const*>(environment.data()));
  }
  ::_exit(127);
}

// Does not use fork(), which calls handlers and copies the page tables of all ranks' memory. The child's end sends no
// signal, since the program may have a handler for SIGCHLD.
pid_t start(Addr2lineRun& run) {
  constexpr std::size_t kStackBytes = std::size_t{16} << 10;
  alignas(16) std::array<std::byte, kStackBytes> stack;
  return ::clone(&execute, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK, &run);
}

// Reads until the end of the input, the time `end`, or the end of `text`.
std::size_t read_until(int from, std::span<char> text, Clock::time_point end) {
  std::size_t size = 0;
  while (size < text.size()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd wanted{from, POLLIN, 0};
    const int found = ::poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    const ssize_t got = found > 0 ? ::read(from, text.data() + size, text.size() - size) : found;
    if (got == 0 || (got < 0 && errno != EINTR)) {
      break;
    }
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return size;
}

// "/home/me/solver.c:12 (discriminator 2)" or, for what is unknown, "??:0" and "/home/me/solver.c:?".
void keep_line(std::string_view answer, CodeLocation& location) {
  answer = answer.substr(0, answer.find(" (discriminator"));
  const bool is_known = !answer.starts_with("??") && !answer.ends_with(":?") && !answer.ends_with(":0");
  if (is_known && answer.size() < location.line.size()) {
    *std::ranges::copy(answer, location.line.begin()).out = '\0';
  }
}

void execute_and_read(Addr2lineRun& run, Clock::time_point end) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return;
  }
  run.output = pipe[1];
  const pid_t child = start(run);
  ::close(pipe[1]);
  std::array<char, 16384> text;
  std::string_view answers(text.data(), child > 0 ? read_until(pipe[0], text, end) : 0);
  ::close(pipe[0]);
  if (child > 0) {
    ::kill(child, SIGKILL);  // unless it has ended by itself
    ::waitpid(child, nullptr, __WALL);
  }
  for (std::size_t i = 0; i < run.count && answers.find('\n') != std::string_view::npos; ++i) {
    keep_line(answers.substr(0, answers.find('\n')), *run.locations[i]);
    answers.remove_prefix(answers.find('\n') + 1);
  }
}

// Adds all locations of the file to the run, and notes in `done` that they are.
void add_locations(std::span<CodeLocation> locations, std::span<bool> done, const char* file, Addr2lineRun& run) {
  std::size_t words = 0;
  for (const char* const word : {"addr2line", "-e", file}) {
    run.arguments[words++] = word;
  }
  for (std::size_t i = 0; i < locations.size(); ++i) {
    if (!done[i] && locations[i].file != nullptr && std::strcmp(locations[i].file, file) == 0) {
      done[i] = true;
      auto& word = run.words[run.count];
      std::snprintf(word.data(), word.size(), "%#llx", static_cast<unsigned long long>(locations[i].address));
      run.arguments[words++] = word.data();
      run.locations[run.count++] = &locations[i];
    }
  }
  run.arguments[words] = nullptr;
}

}  // namespace

void find_line_reader() { line_reader = base::find_executable("addr2line", base::path_folders()).value_or(""); }

void read_source_lines(std::span<CodeLocation> locations) noexcept {
  const int error = errno;
  const auto end = Clock::now() + kTimeout;
  locations = locations.first(std::min(locations.size(), kMostCodeLocations));
  std::array<bool, kMostCodeLocations> done{};
  for (std::size_t i = 0; i < locations.size() && !line_reader.empty(); ++i) {
    if (!done[i] && locations[i].file != nullptr) {
      Addr2lineRun run{};
      add_locations(locations, done, locations[i].file, run);
      execute_and_read(run, end);
    }
  }
  errno = error;
}

CodeLocation code_location(std::uintptr_t address) noexcept {
  CodeLocation location;
  const image::Program* const program = image::program_at(address);
  const auto found = image::find_image(address);
  if (program != nullptr && found) {
    location.file = program->images()[found->index].elf.path().c_str();
    location.address = address - found->begin;
  }
  return location;
}

}  // namespace weft::launch
